import type { BlobId } from '../base/ids.ts';
import { hasImages, imagesIn } from '../model/message.ts';
import type { ModelRequest } from '../model/provider.ts';
import { usualOutputTokens } from '../model/runtime.ts';
import type { Runtime } from '../model/runtime.ts';
import { longestOutput } from '../model/thinking-budget.ts';
import { answeredBefore } from '../model/turn-state.ts';
import type { TurnEntry } from '../model/turn.ts';
import type { NextRequest } from './asked-prefixes.ts';
import type { AskedCall } from './book-call.ts';
import { outputAllowance } from './output-allowance.ts';
import { passLimit } from './pass-limit.ts';
import type { Setting } from './purse.ts';
import { currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

/** A request that is on record, with all that settling it takes. */
export interface AskedStep extends AskedCall {
  readonly request: ModelRequest;
}

/**
 * Records that this very request is about to be sent, with its worst case set aside. Steering that slips in meanwhile
 * becomes part of it. Undefined where a limit of money stands before it; the log then says what follows.
 */
export async function recordAsked(
  toolUse: ModelRequest['toolUse'],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<AskedStep | undefined> {
  for (;;) {
    const step = await planStep(toolUse, deps);
    const setting = await recordStep(step, deps, signal);
    if (setting === 'overtaken') continue;
    if (setting.type === 'set-aside') {
      return { ...step, reserved: setting.reserved, request: await withImages(step.request, deps) };
    }
    await passLimit(setting.detail, deps, signal);
    return undefined;
  }
}

type PlannedStep = Omit<AskedStep, 'reserved'>;

async function planStep(toolUse: ModelRequest['toolUse'], deps: StepDeps): Promise<PlannedStep> {
  const { purse, conversation } = deps;
  const runtime = currentRuntime(deps);
  const plain = buildRequest(toolUse, deps);
  const mostPromptTokens = purse.isLimited ? conversation.prefixes.mostTokens(comparable(plain, deps)) : 0;
  const request = { ...plain, maxOutputTokens: await decideLength(runtime, mostPromptTokens, deps) };
  const { name, cacheLife, apiMode } = runtime;
  const maxOutputTokens = longestOutput(request, apiMode);
  const planned = { runtime: name, cacheLife, mostPromptTokens, maxOutputTokens };
  return { runtime, purpose: 'answer', planned, request };
}

/** What the settings say, more of it with every answer that was cut off; else what the limits of money need. */
async function decideLength(
  runtime: Runtime,
  mostPromptTokens: number,
  { recorder: { state }, maxOutputTokens, purse }: StepDeps,
): Promise<number | undefined> {
  const asked = maxOutputTokens ?? usualOutputTokens[runtime.apiMode];
  const bound = asked === undefined ? await purse.boundOutput(runtime, mostPromptTokens) : undefined;
  return bound ?? outputAllowance(asked, state.nudges.cut + state.cutCallsInARow);
}

/** `overtaken` is a request that something was said behind: it has to be made anew. */
async function recordStep(
  { planned, request }: PlannedStep,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<Setting | 'overtaken'> {
  const { recorder, conversation, purse } = deps;
  const { prefix, change } = conversation.prefixes.compare(comparable(request, deps));
  const budget = await purse.plan(planned, recorder.state.isLimitLifted);
  let setting: Setting | undefined;
  const isRecorded = await recorder.recordIfCurrent(async (tx) => {
    setting = await purse.setAside(budget, tx);
    if (setting.type === 'over') return [];
    const { reserved } = setting;
    const answer = answeredBefore(recorder.state);
    if (answer !== undefined) await deps.keepAnswer(tx, answer);
    const entry: TurnEntry = {
      type: 'step.asked',
      ...prefix,
      cacheLife: planned.cacheLife,
      ...(change && { change }),
      ...(reserved && { reserved }),
    };
    return await recorder.appendIn(tx, [entry]);
  }, signal);
  return setting !== undefined && (isRecorded || setting.type === 'over') ? setting : 'overtaken';
}

function comparable({ messages, effort, toolUse }: ModelRequest, deps: StepDeps): NextRequest {
  return { runtime: currentRuntime(deps), prompt: deps.prompt, messages, effort, toolUse };
}

function buildRequest(toolUse: ModelRequest['toolUse'], deps: StepDeps): ModelRequest {
  const { turn } = deps.recorder;
  const runtime = currentRuntime(deps);
  const { model, name } = runtime;
  const lastAnswerId = deps.conversation.prefixes.lastAnswerId(runtime);
  return {
    model,
    system: deps.prompt.system,
    tools: deps.prompt.tools,
    messages: deps.conversation.messagesTo(name, turn.turnId),
    toolUse,
    cacheKey: turn.sessionId,
    effort: deps.effort,
    ...(lastAnswerId !== undefined && { lastAnswerId }),
    maxOutputTokens: undefined,
  };
}

/** The demo model is not shown any: it reads the line that stands for each. */
async function withImages(request: ModelRequest, deps: StepDeps): Promise<ModelRequest> {
  const isBlind = currentRuntime(deps).place === 'demo';
  const wanted = isBlind ? [] : request.messages.filter(hasImages).flatMap(imagesIn);
  if (wanted.length === 0) return request;
  const images = new Map<BlobId, string>();
  for (const { blob } of wanted) {
    const data = images.get(blob) ?? (await deps.blobs.read(deps.recorder.turn.sessionId, blob));
    if (data !== undefined) images.set(blob, data);
  }
  return { ...request, images };
}
