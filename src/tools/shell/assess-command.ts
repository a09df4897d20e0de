import type { BashSyntax } from './bash-syntax.ts';
import { findDisaster } from './find-disaster.ts';
import { findPlainRead, plainWords } from './plain-reads.ts';

export type CommandRisk =
  /** It only reads; `paths` are the words that may name what it reads. */
  | { readonly type: 'safe'; readonly program: string; readonly paths: readonly string[] }
  /** `words` where it is one simple command that means exactly what it says. */
  | { readonly type: 'ask'; readonly why: string; readonly words?: readonly string[] }
  | { readonly type: 'forbidden'; readonly reason: string };

export interface CommandSurroundings {
  readonly home: string;
  readonly folder: string;
}

// Far more than a sensible command needs, and spent within a second.
const mostCharacters = 3_000_000;

/**
 * Whether a command may run unasked, must be asked about, or never runs. Whatever is not plainly harmless is asked, and
 * so is whatever the parser cannot follow. Pure.
 */
export function assessCommand(command: string, surroundings: CommandSurroundings, syntax: BashSyntax): CommandRisk {
  const scope = { ...surroundings, variables: new Map<string, string>(), effort: { left: mostCharacters } };
  try {
    const script = syntax.parse(command);
    const disaster = findDisaster(script, scope, syntax);
    if (disaster !== undefined) return forbid(disaster);
    const words = plainWords(command, script);
    if (words === undefined) return { type: 'ask', why: 'it is more than one plain command' };
    const reading = findPlainRead(words);
    return typeof reading === 'string' ? { type: 'ask', why: reading, words } : { type: 'safe', ...reading };
  } catch {
    return { type: 'ask', why: 'it cannot be read for certain' };
  }
}

function forbid(disaster: string): CommandRisk {
  const advice = 'It never runs here, whoever agrees; the user can run it by hand outside Talaria.';
  return { type: 'forbidden', reason: `this command means ${disaster}. ${advice}` };
}
