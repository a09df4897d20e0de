import type { Effort, ModelRequest } from './provider.ts';
import type { ApiMode } from './runtime.ts';

// Below the smallest, the API refuses a budget.
const budgets: Readonly<Record<Effort, number>> = { minimal: 1024, low: 4000, medium: 8000, high: 16_000 };

/** What is left for words where thoughts take all of their budget. */
const roomForWords = 4096;

/**
 * How many tokens a model is told to think with; undefined for one that decides that by itself. From 4.6 on a Claude does,
 * and refuses a budget; earlier ones need it (the API's "thinking-troubleshooting" page has the table). Pure.
 */
export function thinkingBudget(model: string, effort: Effort): number | undefined {
  return thinksByBudget(model) ? budgets[effort] : undefined;
}

/** The length that an answer needs to have room for its thoughts and for words. Pure. */
export function lengthWithThoughts(maxTokens: number, budget: number): number {
  return Math.max(maxTokens, budget + roomForWords);
}

/** The longest answer that a request can bring: thoughts with a budget may make it longer than was asked for. Pure. */
export function longestOutput(
  { model, effort, maxOutputTokens }: Pick<ModelRequest, 'model' | 'effort' | 'maxOutputTokens'>,
  apiMode: ApiMode,
): number | undefined {
  if (apiMode !== 'anthropic_messages' || effort === undefined || maxOutputTokens === undefined) return maxOutputTokens;
  const budget = thinkingBudget(model, effort);
  return budget === undefined ? maxOutputTokens : lengthWithThoughts(maxOutputTokens, budget);
}

/** Whether a model is a Claude from before 4.6. Names have the version behind the family or, long ago, before it. */
function thinksByBudget(model: string): boolean {
  const version = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major < 4 || (major === 4 && minor < 6);
}
