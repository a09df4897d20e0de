import { cut } from '../tool-outcomes.ts';
import { similarity } from './similarity.ts';

const mostSnippets = 3;
const leastScore = 0.5;
const mostLines = 50_000;
const longestLine = 120;

/** Says that a text was not found and shows, with line numbers, the places that come nearest to it. */
export function describeNearMatches(text: string, wanted: string, path: string): string {
  const lines = text.split(/\r?\n/);
  const near = findNear(lines, wanted).map((number) => showAround(lines, number));
  if (near.length === 0) return `old_string was not found in ${path}, nor anything like it; read the file first`;
  return `old_string was not found in ${path}; nearest:\n${near.join('\n--\n')}\nCopy the exact text from the file.`;
}

/** The lines (counted from zero) most like the most telling line of the wanted text, in the order of the file. */
function findNear(lines: readonly string[], wanted: string): readonly number[] {
  const probe = wanted
    .split(/\r?\n/)
    .map((line) => line.trim().slice(0, longestLine))
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '');
  return lines
    .slice(0, mostLines)
    .map((line, number) => ({ number, score: similarity(probe, line.trim().slice(0, longestLine)) }))
    .filter((candidate) => candidate.score >= leastScore)
    .toSorted((left, right) => right.score - left.score)
    .slice(0, mostSnippets)
    .map((candidate) => candidate.number)
    .toSorted((left, right) => left - right);
}

function showAround(lines: readonly string[], number: number): string {
  const first = Math.max(0, number - 1);
  return lines
    .slice(first, number + 2)
    .map((line, index) => `${first + index + 1}|${cut(line, longestLine)}`)
    .join('\n');
}
