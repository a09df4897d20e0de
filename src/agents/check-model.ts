import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { MoneyLimits } from '../model/config.ts';
import { partsToText, textPart } from '../model/message.ts';
import type { Effort, ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { describeFailure } from '../turn/describe-failure.ts';
import { discardKeyIfRefused } from '../turn/discard-key.ts';

export interface CheckDeps {
  readonly connect: (runtime: Runtime) => Promise<Provider>;
  readonly clock: Clock;
  readonly limits: MoneyLimits;
  readonly effort: Effort | undefined;
  readonly maxOutputTokens: number | undefined;
}

export type ModelCheck =
  | { readonly type: 'answered'; readonly text: string; readonly afterMs: number }
  | { readonly type: 'failed'; readonly reason: string };

/**
 * Asks a model for one word, through the same client as any turn, and says how long that took. What that costs is not
 * in the books, which may be open elsewhere; so it is not done where limits of money are to hold.
 */
export async function checkModel(runtime: Runtime, deps: CheckDeps, signal: AbortSignal): Promise<ModelCheck> {
  if (isLimited(deps.limits) && mayCost(runtime)) return { type: 'failed', reason: describeRefusal(runtime) };
  try {
    const client = await deps.connect(runtime);
    await using closing = new AsyncDisposableStack();
    closing.defer(() => client.close());
    const beganAt = deps.clock.monotonic();
    const answer = await lastEvent(client.stream(smallRequest(runtime, deps), signal));
    if (answer?.type === 'failed') discardKeyIfRefused(answer.failure, runtime);
    return judge(answer, deps.clock.monotonic() - beganAt);
  } catch (thrown) {
    return { type: 'failed', reason: describeError(thrown) };
  }
}

function isLimited({ perTurn, perSession, perPerson, perDay, perMonth }: MoneyLimits): boolean {
  return [perTurn, perSession, perPerson, perDay, perMonth].some((amount) => amount !== undefined);
}

/** Behind an address of the user's own may be anybody, also on this machine. */
function mayCost({ place, vendor }: Runtime): boolean {
  return place === 'remote' || vendor === 'custom';
}

function describeRefusal({ name }: Runtime): string {
  return (
    'it was not asked, since limits of money are set and a check is not counted among what was spent; ' +
    `\`talaria run -m ${name} hello\` asks it within them`
  );
}

/** With a tool, since a model that takes none is of no use to an agent, and some servers refuse one only then. */
function smallRequest({ model }: Runtime, { effort, maxOutputTokens }: CheckDeps): ModelRequest {
  const parameters = { type: 'object', properties: {}, required: [] };
  return {
    model,
    system: 'This is a test of the connection. Answer in words; there is nothing to do.',
    tools: [{ name: 'nothing', description: 'Does nothing.', parameters }],
    messages: [{ role: 'user', parts: [textPart('Answer with the one word: ready')] }],
    toolUse: 'allowed',
    maxOutputTokens,
    cacheKey: 'check',
    effort,
  };
}

async function lastEvent(events: AsyncIterable<ModelEvent>): Promise<ModelEvent | undefined> {
  let last: ModelEvent | undefined;
  for await (const event of events) last = event;
  return last;
}

function judge(answer: ModelEvent | undefined, afterMs: number): ModelCheck {
  if (answer?.type === 'failed') return { type: 'failed', reason: describeFailure(answer.failure) };
  if (answer?.type !== 'finished') return { type: 'failed', reason: 'the answer had no end' };
  const { parts, calls } = answer.message;
  const text = partsToText(parts).trim();
  if (text === '' && calls.length === 0 && answer.finish !== 'length') {
    return { type: 'failed', reason: 'the answer is empty' };
  }
  return { type: 'answered', text, afterMs };
}
