import type { Stats } from 'node:fs';
import type { ToolOutcome } from '../../model/message.ts';
import { cut, done, failed } from '../tool-outcomes.ts';
import { locateText } from './locate-text.ts';
import type { Located } from './locate-text.ts';
import { describeNearMatches } from './near-matches.ts';
import { readReal } from './open-real.ts';
import { findProtection, replaceFile, statIfAny } from './replace-file.ts';
import { describeMissing } from './similar-names.ts';
import { mostPlaces } from './text-place.ts';
import type { TextPlace } from './text-place.ts';

const mostBytes = 20_000_000;
const longestDiff = 6000;
// Both bound the work of the diff, which runs in one go and would hold up everything else.
const mostPlacesShown = 20;
const mostEdits = 1000;

export interface PatchRequest {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean | undefined;
}

/** Replaces a piece of a file and shows the difference that it made. */
export async function patchFile(path: string, input: PatchRequest, keep: Target['keep']): Promise<ToolOutcome> {
  if (input.old_string === input.new_string) return failed('old_string and new_string are the same; nothing to change');
  const existing = await statIfAny(path);
  if (existing === undefined) return failed(await describeMissing(path));
  if (!existing.isFile()) return failed(`${path} is not a file`);
  if (existing.size > mostBytes)
    return failed(`${path} is too large to patch (${existing.size} bytes); use the terminal`);
  const protection = await findProtection(path);
  if (protection !== undefined) return failed(protection);
  const text = decodeText(await readReal(path));
  if (text === undefined) return failed(`${path} is not text in UTF-8; change it in the terminal`);
  const located = locateText(text, input.old_string);
  if (located.type === 'missing') return failed(describeNearMatches(text, input.old_string, path));
  const problem = findAmbiguity(located, input, path) ?? findExcess(located, text, input.new_string);
  if (problem !== undefined) return failed(problem);
  return await applyPatch({ path, text, existing, located, keep }, input.new_string.toWellFormed());
}

/** The text of valid UTF-8 that came from a text file, byte order mark and all; otherwise undefined. */
export function decodeText(bytes: Buffer): string | undefined {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function findAmbiguity(located: Located & { type: 'found' }, input: PatchRequest, path: string): string | undefined {
  const found = located.places.length;
  if (found === 1) return undefined;
  const isTooMany = found > mostPlaces;
  const count = isTooMany ? `more than ${mostPlaces}` : found;
  if (located.strategy === 'exact' && input.replace_all === true)
    return isTooMany ? `old_string occurs ${count} times in ${path}; use the terminal` : undefined;
  if (located.strategy === 'exact') {
    return `old_string occurs ${count} times in ${path}; add lines around it to make it unique, or set replace_all`;
  }
  return `old_string does not occur exactly in ${path}, and ${count} places are like it; copy the exact text with read_file`;
}

/** A few words in many places come to more than can be held. */
function findExcess({ places }: Located & { type: 'found' }, text: string, replacement: string): string | undefined {
  const length = text.length + places.length * replacement.length;
  return length > mostBytes ? `the result would be longer than ${mostBytes} characters; use the terminal` : undefined;
}

interface Target {
  readonly path: string;
  readonly text: string;
  readonly existing: Stats;
  readonly located: Located & { type: 'found' };
  /** Keeps what stands there, before it is replaced. */
  readonly keep: (content: string) => Promise<void>;
}

async function applyPatch(target: Target, replacement: string): Promise<ToolOutcome> {
  const { path, text, existing, located, keep } = target;
  const changed = replacePlaces(text, located.places, replacement);
  if (changed === text) return failed(`the change leaves ${path} as it is`);
  await keep(changed);
  await replaceFile(path, changed, existing);
  if ((await readReal(path)).toString('utf8') !== changed)
    return failed(`${path} was changed by someone else meanwhile; read it again`);
  const times = located.places.length === 1 ? '' : ` ${located.places.length} times`;
  const how = located.strategy === 'exact' ? '' : ` (matched but for ${looseness[located.strategy]})`;
  return done(`patched ${path}${times}${how}\n${await describeDiff(target, replacement)}`);
}

const looseness = {
  'trailing-spaces': 'trailing spaces',
  indentation: 'indentation',
  punctuation: 'typographic punctuation',
} as const;

function replacePlaces(text: string, places: readonly TextPlace[], replacement: string): string {
  let result = '';
  let at = 0;
  for (const place of places) {
    result += text.slice(at, place.start) + place.adapt(replacement);
    at = place.end;
  }
  return result + text.slice(at);
}

async function describeDiff({ path, text, located }: Target, replacement: string): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const places = located.places.slice(0, mostPlacesShown);
  const changed = replacePlaces(text, places, replacement);
  const options = { context: 3, maxEditLength: mostEdits };
  const diff = createTwoFilesPatch(path, path, text, changed, '', '', options);
  if (diff === undefined) return '[the difference is too large to show]';
  const body = diff.slice(diff.indexOf('--- ')).trimEnd();
  const isWhole = body.length <= longestDiff && places.length === located.places.length;
  return isWhole ? body : `${cut(body, longestDiff)}\n[the rest of the diff is left out]`;
}
