import { promptText } from '../asked-prefixes.ts';
import { currentRuntime } from '../step-deps.ts';
import { windowOf } from './compaction-deps.ts';
import type { CompactionDeps } from './compaction-deps.ts';
import { countCharacters, loadTokenCounter } from './token-counts.ts';
import type { CountTokens } from './token-counts.ts';

/** Below this many tokens, at three characters each, no window is asked for: finding it out takes longer than it is worth. */
const alwaysSmall = 8000;
const charactersPerToken = 3;

/** Whether the next prompt of the turn would fill more of the window of the model it is at than the settings allow. */
export async function isTooFull(deps: CompactionDeps): Promise<boolean> {
  if (isSurelySmall(deps)) return false;
  const count = await loadTokenCounter();
  return estimatePrompt(deps, count) >= (await limitNow(deps));
}

/** How many tokens a prompt may have at the model that the turn is at. It follows a fallback, and comes back with the primary. */
export async function limitNow(deps: CompactionDeps): Promise<number> {
  return deps.compaction.threshold * (await windowOf(currentRuntime(deps), deps));
}

/** What the server counted last, and an estimate of what came behind that. */
export function estimatePrompt({ conversation, recorder, prompt }: CompactionDeps, count: CountTokens): number {
  const messages = conversation.messagesFor(recorder.turn.turnId);
  const { measured } = conversation.compactions;
  if (measured === undefined) return count(promptText(prompt)) + conversation.tokens.of(messages, count);
  return measured.tokens + conversation.tokens.of(messages.slice(measured.messages), count);
}

/** By characters alone: short conversations are not kept waiting for anything to be loaded. */
function isSurelySmall(deps: CompactionDeps): boolean {
  const { conversation, recorder, prompt, compaction } = deps;
  const { measured } = conversation.compactions;
  const messages = conversation.messagesFor(recorder.turn.turnId).slice(measured?.messages ?? 0);
  const { window } = currentRuntime(deps);
  const characters = countCharacters(messages);
  const fixed = measured === undefined ? promptText(prompt).length : 0;
  const tokens = measured?.tokens ?? 0;
  if (window === undefined) return tokens + (fixed + characters) / charactersPerToken < alwaysSmall;
  return tokens + fixed + characters < window * compaction.threshold;
}
