import { keyMark } from '../base/redact.ts';
import { boolean, integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import { markedText } from './files/write-guard.ts';

const longestTimeoutSeconds = 600;
// Linux takes at most 128 KiB in one argument.
const longestCommandBytes = 120_000;

export const inputSchema = object({
  command: string('bash command', { minLength: 1 }),
  timeout: optional(integer('seconds, at most 600')),
  workdir: optional(string('folder to run in; default: where the last command ended')),
  background: optional(boolean('return an id at once, for process; no timeout')),
  pty: optional(boolean('in the background: give it a terminal')),
  outside: optional(
    boolean(
      'ask the user to leave the sandbox, which has no network and writes only in the working folder and its own /tmp',
    ),
  ),
});

export type TerminalInput = ValueOf<typeof inputSchema>;

/** A command as the model calls for it with nothing else. */
export function toInput(command: string): TerminalInput {
  return { command, timeout: undefined, workdir: undefined, background: undefined, pty: undefined, outside: undefined };
}

export function isBackground({ background }: TerminalInput): boolean {
  return background === true;
}

/** What is wrong with a call, whatever it would run. */
export function findProblem(input: TerminalInput): string | undefined {
  if (input.command.includes('\0')) return 'the command contains a NUL character';
  if (input.command.includes(keyMark)) return markedText;
  if (Buffer.byteLength(input.command) > longestCommandBytes) {
    return 'the command is too long for one call; put long content into a file with write_file and use that';
  }
  const { timeout } = input;
  if (input.pty === true && !isBackground(input)) return 'a pty is for background processes; set background, too';
  if (timeout !== undefined && isBackground(input)) return 'a background process has no timeout; leave it out';
  if (timeout !== undefined && timeout < 1) return 'timeout must be at least 1 second';
  if (timeout !== undefined && timeout > longestTimeoutSeconds) {
    return `timeout is at most ${longestTimeoutSeconds} seconds; start longer work with background and look after it with process`;
  }
  return undefined;
}
