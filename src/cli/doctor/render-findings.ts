import { neutralise } from '../render/neutralise.ts';
import type { Style } from '../render/style.ts';
import { wrapWords } from '../render/wrap-words.ts';
import type { Finding, FindingGroup, Level } from './finding.ts';

const markWidth = 8;
const nameWidth = 13;
const indent = 2;
const marks: Readonly<Record<Level, string>> = { fine: 'ok', note: '-', hint: 'hint', broken: 'BROKEN' };

/** The findings by group, and what they come to. Commands are never broken up: they are there to be copied. Pure. */
export function renderFindings(groups: readonly FindingGroup[], style: Style, columns: number): string {
  const blocks = groups.map(
    ({ name, findings }) =>
      `${style.bold(name)}\n${findings.map((finding) => renderFinding(finding, style, columns)).join('')}`,
  );
  return [...blocks, `${describeSum(groups)}\n`].join('\n');
}

function renderFinding({ level, name, text, fix }: Finding, style: Style, columns: number): string {
  const margin = indent + markWidth + nameWidth;
  const [first = '', ...rest] = wrapWords(neutralise(text), Math.max(columns - margin, 20)).split('\n');
  const mark = paint(level, style, marks[level].padEnd(markWidth));
  // A name that is too long for its column stands on a line of its own.
  const label = name.length < nameWidth ? name.padEnd(nameWidth) : `${name}\n${' '.repeat(margin)}`;
  const further = [...rest, ...(fix === undefined ? [] : [`run: ${neutralise(fix)}`])];
  return [`${' '.repeat(indent)}${mark}${label}${first}`, ...further.map((line) => `${' '.repeat(margin)}${line}`)]
    .map((line) => `${line}\n`)
    .join('');
}

function paint(level: Level, style: Style, mark: string): string {
  switch (level) {
    case 'fine':
    case 'note':
      return style.dim(mark);
    case 'hint':
      return style.bold(mark);
    case 'broken':
      return style.bad(mark);
  }
}

function describeSum(groups: readonly FindingGroup[]): string {
  const broken = countOf(groups, 'broken');
  const hints = countOf(groups, 'hint');
  const hinted = hints === 0 ? '' : `${hints} ${hints === 1 ? 'hint' : 'hints'}`;
  if (broken === 0) return hinted === '' ? 'Everything is in order.' : `Nothing is broken; ${hinted}.`;
  return `${broken} ${broken === 1 ? 'thing is' : 'things are'} broken${hinted === '' ? '' : `; ${hinted}`}.`;
}

/** Pure. */
export function countOf(groups: readonly FindingGroup[], level: Level): number {
  return groups.flatMap(({ findings }) => findings).filter((finding) => finding.level === level).length;
}
