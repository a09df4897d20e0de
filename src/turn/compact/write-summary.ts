import { AppError, describeError } from '../../base/errors.ts';
import { partsToText } from '../../model/message.ts';
import type { ModelEvent, ModelRequest } from '../../model/provider.ts';
import { nextPlace, usualOutputTokens } from '../../model/runtime.ts';
import type { Runtime } from '../../model/runtime.ts';
import type { Compaction, TurnEntry } from '../../model/turn.ts';
import { ArrivingAnswer } from '../arriving-answer.ts';
import type { AnswerEnd } from '../arriving-answer.ts';
import { endCall } from '../book-call.ts';
import type { EndedCall } from '../book-call.ts';
import { describeFailure } from '../describe-failure.ts';
import { discardKeyIfRefused } from '../discard-key.ts';
import type { PlannedCall, Setting } from '../purse.ts';
import { awakeNow, currentPlace } from '../step-deps.ts';
import { windowOf } from './compaction-deps.ts';
import type { CompactionDeps, Writer } from './compaction-deps.ts';
import { requestSummary } from './summary-request.ts';
import type { SummaryWish } from './summary-request.ts';

/** A summary of a model, and what it took. */
export type Written = Pick<Compaction, 'summary' | 'writtenBy' | 'usage'>;

export interface Writing {
  /** Undefined where no model could be had for it; `problem` then says why. */
  readonly written: Written | undefined;
  readonly problem: string;
  /** The calls that were made for it, whatever came of them. */
  readonly calls: readonly EndedCall[];
}

/** How much of the writer's window the record may fill, first and at the second try. */
const shares: readonly number[] = [0.6, 0.25];
const charactersPerToken = 3;

/**
 * Has a model write a summary: the one that the settings name, else the one that the turn is at. Where that fails there is
 * one more try: at the one that the turn is at, or at the one that would answer next.
 */
export async function writeSummary(wish: SummaryWish, deps: CompactionDeps, signal: AbortSignal): Promise<Writing> {
  const { model } = deps.compaction;
  const place = currentPlace(deps);
  const own = (): Promise<Writer> => borrowClient(place, deps);
  const next = (): Promise<Writer> => borrowClient(nextPlace(deps.clients.chain, place, awakeNow(deps)) ?? place, deps);
  const writers = model === undefined ? [own, next] : [(): Promise<Writer> => deps.compaction.openWriter(model), own];
  const calls: EndedCall[] = [];
  let problem = '';
  for (const [index, open] of writers.entries()) {
    const tried = await tryWriter({ open, share: shares[index] ?? 0, wish }, deps, signal);
    if (tried.call !== undefined) calls.push(tried.call);
    if (tried.written !== undefined || signal.aborted) return { written: tried.written, problem: '', calls };
    problem = tried.problem;
  }
  return { written: undefined, problem, calls };
}

/** A model of the chain that the turn has; its client stays open. */
async function borrowClient(place: number, { clients }: CompactionDeps): Promise<Writer> {
  const client = await clients.at(place);
  return { runtime: clients.chain[place] ?? clients.chain[0], client, [Symbol.asyncDispose]: () => Promise.resolve() };
}

interface Try {
  readonly open: () => Promise<Writer>;
  readonly share: number;
  readonly wish: SummaryWish;
}

interface Tried {
  readonly written: Written | undefined;
  readonly problem: string;
  readonly call: EndedCall | undefined;
}

async function tryWriter({ open, share, wish }: Try, deps: CompactionDeps, signal: AbortSignal): Promise<Tried> {
  try {
    await using writer = await open();
    const { runtime, client } = writer;
    const characters = (await windowOf(runtime, deps)) * share * charactersPerToken;
    const { request, planned } = await planCall(requestSummary(wish, runtime.model, characters), runtime, deps);
    const setting = await recordCall(planned, deps, signal);
    if (setting.type === 'over') return without(setting.detail);
    deps.emit({ type: 'waiting', wait: { type: 'summary', runtime: runtime.name } });
    const arriving = new ArrivingAnswer();
    const end = await receive(client.stream(request, signal), arriving);
    if (end.type === 'failed') discardKeyIfRefused(end.failure, runtime);
    const asked = { runtime, purpose: 'compaction', planned, reserved: setting.reserved } as const;
    return { ...judge(end, runtime), call: await endCall(asked, arriving, end, deps.purse) };
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    return without(describeError(thrown));
  }
}

interface SummaryCall {
  readonly request: ModelRequest;
  readonly planned: PlannedCall;
}

async function planCall(plain: ModelRequest, runtime: Runtime, { purse }: CompactionDeps): Promise<SummaryCall> {
  const { name, cacheLife, apiMode } = runtime;
  // No tokenizer makes more of a text than it has bytes.
  const mostPromptTokens = purse.isLimited ? Buffer.byteLength(JSON.stringify(plain)) : 0;
  const maxOutputTokens = usualOutputTokens[apiMode] ?? (await purse.boundOutput(runtime, mostPromptTokens));
  return {
    request: { ...plain, maxOutputTokens },
    planned: { runtime: name, cacheLife, mostPromptTokens, maxOutputTokens },
  };
}

/** Records that the call is about to be made, with its worst case set aside. */
async function recordCall(planned: PlannedCall, deps: CompactionDeps, signal: AbortSignal): Promise<Setting> {
  const { recorder, purse } = deps;
  const budget = await purse.plan(planned, recorder.state.isLimitLifted);
  let setting: Setting = { type: 'over', detail: '' };
  await recorder.write(async (tx) => {
    setting = await purse.setAside(budget, tx);
    if (setting.type === 'over') return [];
    const { reserved } = setting;
    const entry: TurnEntry = { type: 'compaction.asked', runtime: planned.runtime, ...(reserved && { reserved }) };
    return await recorder.appendIn(tx, [entry]);
  }, signal);
  return setting;
}

async function receive(events: AsyncIterable<ModelEvent>, arriving: ArrivingAnswer): Promise<AnswerEnd> {
  for await (const event of events) {
    if (event.type === 'finished' || event.type === 'failed') return event;
    arriving.take(event);
  }
  return { type: 'failed', failure: { type: 'protocol', message: 'the stream ended without a result' } };
}

/** Only a whole answer in words is a summary. */
function judge(end: AnswerEnd, { name }: Runtime): Tried {
  if (end.type === 'failed') return without(describeFailure(end.failure));
  const summary = partsToText(end.message.parts).trim();
  if (summary === '') return without('the summary was empty');
  if (end.finish !== 'stop') return without('the summary was cut off');
  return { written: { summary, writtenBy: name, usage: end.usage }, problem: '', call: undefined };
}

function without(problem: string): Tried {
  return { written: undefined, problem, call: undefined };
}
