import type { Effort } from '../model/provider.ts';
import { isThought } from './anthropic-messages-wire.ts';
import type { WireEffort, WireMessage } from './anthropic-messages-wire.ts';

export interface EffortRequest {
  readonly model: string;
  readonly effort: Effort | undefined;
  readonly maxTokens: number;
  readonly messages: readonly WireMessage[];
}

// Below this, the API refuses a budget.
const budgets: Readonly<Record<Effort, number>> = { minimal: 1024, low: 4000, medium: 8000, high: 16_000 };
const roomForWords = 4096;

/**
 * The effort in the words that a model understands, and the length that the answer then needs. From 4.6 on a Claude
 * decides by itself how much to think, and effort says how eagerly; earlier ones refuse that and take a budget of tokens,
 * which later ones refuse (the API's "thinking-troubleshooting" page has the table). Pure.
 */
export function wireEffort(request: EffortRequest): WireEffort & { readonly max_tokens: number } {
  const { model, effort, maxTokens, messages } = request;
  if (effort === undefined) return { max_tokens: maxTokens };
  if (!thinksByBudget(model)) {
    return {
      max_tokens: maxTokens,
      // Left alone, newer models keep their thoughts to themselves, and a long thought looks like a stuck server.
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: effort === 'minimal' ? 'low' : effort },
    };
  }
  if (isInsideUnthoughtLoop(messages)) return { max_tokens: maxTokens };
  const budget = budgets[effort];
  return {
    max_tokens: Math.max(maxTokens, budget + roomForWords),
    thinking: { type: 'enabled', budget_tokens: budget },
  };
}

/** Whether a model is a Claude from before 4.6. Names have the version behind the family or, long ago, before it. */
function thinksByBudget(model: string): boolean {
  const version = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major < 4 || (major === 4 && minor < 6);
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
