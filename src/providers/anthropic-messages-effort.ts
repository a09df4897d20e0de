import type { Effort } from '../model/provider.ts';
import { lengthWithThoughts, thinkingBudget } from '../model/thinking-budget.ts';
import { isThought } from './anthropic-messages-wire.ts';
import type { WireEffort, WireMessage } from './anthropic-messages-wire.ts';

export interface EffortRequest {
  readonly model: string;
  readonly effort: Effort | undefined;
  readonly maxTokens: number;
  readonly messages: readonly WireMessage[];
}

/**
 * The effort in the words that a model understands, and the length that the answer then needs. Newer models decide by
 * themselves how much to think, and effort says how eagerly; earlier ones take a budget of tokens. Pure.
 */
export function wireEffort(request: EffortRequest): WireEffort & { readonly max_tokens: number } {
  const { model, effort, maxTokens, messages } = request;
  if (effort === undefined) return { max_tokens: maxTokens };
  const budget = thinkingBudget(model, effort);
  if (budget === undefined) {
    return {
      max_tokens: maxTokens,
      // Left alone, newer models keep their thoughts to themselves, and a long thought looks like a stuck server.
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: effort === 'minimal' ? 'low' : effort },
    };
  }
  if (isInsideUnthoughtLoop(messages)) return { max_tokens: maxTokens };
  return {
    max_tokens: lengthWithThoughts(maxTokens, budget),
    thinking: { type: 'enabled', budget_tokens: budget },
  };
}

/**
 * Whether the turn under way was begun without thinking, by another model or before the effort was set. With a budget the
 * API refuses to go on from there: thinking begins with the next turn.
 */
function isInsideUnthoughtLoop(messages: readonly WireMessage[]): boolean {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && content[0]?.type !== 'tool_result');
  const first = messages[asked + 1]?.content[0];
  return first !== undefined && !isThought(first);
}
