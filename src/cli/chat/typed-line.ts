import { findCommand, findHelped, parseCommand, readSaying } from '../../gateway/commands.ts';
import type { Command } from '../../gateway/commands.ts';
import type { TerminalInput } from '../../model/channel.ts';
import { isPersonLeaving } from './is-leaving.ts';

export type TypedLine = Extract<TerminalInput, { readonly type: 'line' }>;

/** The command that a line is; several lines are a text, whatever they begin with. Pure. */
export function commandIn({ text, commands }: TypedLine): Command | undefined {
  return commands === 'none' ? undefined : parseCommand(text.trim());
}

/** Pure. */
export function isGoodbye({ text, commands }: TypedLine): boolean {
  return commands !== 'none' && isPersonLeaving(text);
}

/** Whether a command leads to a session that was not known here. Pure. */
export function findsSession(command: Command): boolean {
  return readSaying(command) !== undefined || findCommand(command.name)?.name === 'resume';
}

/** Whether a command asks for all that can be typed. Pure. */
export function asksForAll({ name, rest }: Command): boolean {
  return findCommand(name)?.name === 'help' && findHelped(rest) === undefined;
}
