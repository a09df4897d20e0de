import type { Command } from '../../gateway/commands.ts';

export const leavingHelp = '/exit or Ctrl-D leaves; the session can be continued.';

/** The commands that are for the terminal alone; all others are the gateway's. Pure. */
export function isLeaving(text: string): boolean {
  return /^\s*\/(exit|quit)\s*$/i.test(text);
}

/** What is said to one of them with words behind it, which does nothing, as with every command that takes none. Pure. */
export function describeNotLeaving({ name, rest }: Command): string | undefined {
  if (!isLeaving(`/${name}`) || rest === '') return undefined;
  return `Nothing was done: /${name} takes no words behind it. ${leavingHelp}`;
}

/** At a keyboard the bare word, alone, is meant for the program too; out of a pipe it may be anything. Pure. */
export function isPersonLeaving(text: string): boolean {
  return isLeaving(text) || /^\s*(exit|quit)\s*$/i.test(text);
}
