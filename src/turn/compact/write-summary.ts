import { AppError, describeError } from '../../base/errors.ts';
import { partsToText } from '../../model/message.ts';
import type { ModelEvent, ModelRequest, Provider, Usage } from '../../model/provider.ts';
import { nextPlace } from '../../model/runtime.ts';
import type { Runtime, RuntimeName } from '../../model/runtime.ts';
import type { Reservation, TurnEntry } from '../../model/turn.ts';
import { describeFailure } from '../describe-failure.ts';
import type { Setting } from '../purse.ts';
import { currentPlace } from '../step-deps.ts';
import { windowOf } from './compaction-deps.ts';
import type { CompactionDeps, Writer } from './compaction-deps.ts';
import { requestSummary } from './summary-request.ts';
import type { SummaryWish } from './summary-request.ts';

/** A call for a summary that was paid for, whatever came of it. */
export interface PaidCall {
  readonly runtime: RuntimeName;
  readonly usage: Usage;
  readonly reserved: Reservation | undefined;
}

export interface Writing {
  /** Undefined where no model could be had for it; `problem` then says why. */
  readonly summary: string | undefined;
  readonly problem: string;
  readonly paid: readonly PaidCall[];
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
  const next = (): Promise<Writer> => borrowClient(nextPlace(deps.clients.chain, place, isAwake(deps)) ?? place, deps);
  const writers = model === undefined ? [own, next] : [(): Promise<Writer> => deps.compaction.openWriter(model), own];
  const paid: PaidCall[] = [];
  let problem = '';
  for (const [index, open] of writers.entries()) {
    const tried = await tryWriter({ open, share: shares[index] ?? 0, wish }, deps, signal);
    if (tried.paid !== undefined) paid.push(tried.paid);
    if (tried.summary !== undefined || signal.aborted) return { summary: tried.summary, problem: '', paid };
    problem = tried.problem;
  }
  return { summary: undefined, problem, paid };
}

/** A model of the chain that the turn has; its client stays open. */
async function borrowClient(place: number, { clients }: CompactionDeps): Promise<Writer> {
  const client = await clients.at(place);
  return { runtime: clients.chain[place] ?? clients.chain[0], client, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function isAwake({ coolDowns, clock }: CompactionDeps): (runtime: Runtime) => boolean {
  return (runtime) => coolDowns.find(runtime, clock.monotonic()) === undefined;
}

interface Try {
  readonly open: () => Promise<Writer>;
  readonly share: number;
  readonly wish: SummaryWish;
}

interface Tried {
  readonly summary: string | undefined;
  readonly problem: string;
  readonly paid: PaidCall | undefined;
}

async function tryWriter({ open, share, wish }: Try, deps: CompactionDeps, signal: AbortSignal): Promise<Tried> {
  try {
    await using writer = await open();
    const { runtime, client } = writer;
    const characters = (await windowOf(runtime, deps)) * share * charactersPerToken;
    const request = boundOutput(requestSummary(wish, runtime.model, characters), deps);
    const setting = await recordCall(request, runtime, deps, signal);
    if (setting.type === 'over') return without(setting.detail);
    const answer = await receive(client, request, signal);
    return judge(answer, runtime, setting.reserved);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    return without(describeError(thrown));
  }
}

function boundOutput(request: ModelRequest, { purse }: CompactionDeps): ModelRequest {
  return { ...request, maxOutputTokens: purse.boundOutput(request.maxOutputTokens) };
}

/** Records that the call is about to be made, with its worst case set aside. */
async function recordCall(
  request: ModelRequest,
  { name }: Runtime,
  deps: CompactionDeps,
  signal: AbortSignal,
): Promise<Setting> {
  const { recorder, purse } = deps;
  // No tokenizer makes more of a text than it has bytes.
  const mostPromptTokens = (): number => Buffer.byteLength(JSON.stringify(request));
  const { maxOutputTokens } = request;
  const budget = await purse.plan({ runtime: name, mostPromptTokens, maxOutputTokens }, recorder.state.isLimitLifted);
  let setting: Setting = { type: 'over', detail: '' };
  await recorder.write(async (tx) => {
    setting = await purse.setAside(budget, tx);
    if (setting.type === 'over') return [];
    const { reserved } = setting;
    const entry: TurnEntry = { type: 'compaction.asked', runtime: name, ...(reserved && { reserved }) };
    return await recorder.appendIn(tx, [entry]);
  }, signal);
  return setting;
}

type Answer = Extract<ModelEvent, { readonly type: 'finished' | 'failed' }>;

async function receive(client: Provider, request: ModelRequest, signal: AbortSignal): Promise<Answer> {
  for await (const event of client.stream(request, signal)) {
    if (event.type === 'finished' || event.type === 'failed') return event;
  }
  return { type: 'failed', failure: { type: 'protocol', message: 'the stream ended without a result' } };
}

/** Only a whole answer in words is a summary. */
function judge(answer: Answer, { name }: Runtime, reserved: Reservation | undefined): Tried {
  if (answer.type === 'failed') return without(describeFailure(answer.failure));
  const paid = { runtime: name, usage: answer.usage, reserved };
  const summary = partsToText(answer.message.parts).trim();
  if (summary === '') return { ...without('the summary was empty'), paid };
  if (answer.finish !== 'stop') return { ...without('the summary was cut off'), paid };
  return { summary, problem: '', paid };
}

function without(problem: string): Tried {
  return { summary: undefined, problem, paid: undefined };
}
