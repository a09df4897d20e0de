import type { BashSyntax } from './bash-syntax.ts';
import { findDisaster } from './find-disaster.ts';
import { moreThanPlain, readPlainText } from './plain-commands.ts';
import type { PlainText } from './plain-commands.ts';
import { findPlainReads } from './plain-reads.ts';
import type { PlainRead } from './plain-reads.ts';

export type CommandRisk =
  /** Each of its commands only reads. */
  | { readonly type: 'safe'; readonly reads: readonly PlainRead[] }
  /** `words` where it is one simple command that means exactly what it says, and `paths` what that reads at least. */
  | {
      readonly type: 'ask';
      readonly why: string;
      readonly words?: readonly string[];
      readonly paths?: readonly string[];
    }
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
    return assessPlain(readPlainText(command, script));
  } catch {
    return { type: 'ask', why: 'it cannot be read for certain' };
  }
}

function assessPlain(text: PlainText): CommandRisk {
  if (text.type === 'doubtful') return { type: 'ask', why: text.why };
  const reads = findPlainReads(text);
  const doubt = reads.find((read) => 'why' in read);
  if (doubt === undefined) return { type: 'safe', reads: reads.filter((read) => 'program' in read) };
  const [words, ...further] = text.commands;
  if (words === undefined || further.length > 0) return { type: 'ask', why: moreThanPlain };
  // A rule for good is one for the words, and these are not all that was written.
  return text.output === 'usual' ? { type: 'ask', words, ...doubt } : { type: 'ask', ...doubt };
}

function forbid(disaster: string): CommandRisk {
  return { type: 'forbidden', reason: `this command means ${disaster}` };
}
