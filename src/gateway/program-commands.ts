import { isOwner } from './access.ts';
import type { CommandDeps, CommandOutcome, InboundMessage } from './command-deps.ts';

export const ownerOnly =
  'Only the owner can do that: whoever set the bot up, an account that the settings name, the terminal or the page.';

/** This chat is told what belongs to no chat. One a platform; the one that was named last is told. */
export async function runSetHome(inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  if (!(await isOwner(inbound, deps))) return ownerOnly;
  const { address, person } = inbound;
  if (address.platform === 'terminal')
    return 'A terminal is told everything as long as it is open. Type this in a chat.';
  await deps.store.homeChats.set({ address, person, since: deps.clock.now() });
  return 'This chat is now told what belongs to no chat, such as a mistake in the settings.';
}

/** The answer is safe before the restart begins, and what is unfinished goes on after it. */
export async function runRestart(inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome> {
  if (!(await isOwner(inbound, deps))) return ownerOnly;
  if (deps.restart.type === 'unkept')
    return `Nothing was done: nothing would start this program again. ${await deps.restart.advise()}`;
  return { type: 'restart', reply: 'Restarting. What is unfinished goes on after it.' };
}
