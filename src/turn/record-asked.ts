import type { ModelRequest } from '../model/provider.ts';
import { usualOutputTokens } from '../model/runtime.ts';
import type { TurnEntry } from '../model/turn.ts';
import { outputAllowance } from './decide-retry.ts';
import { passLimit } from './pass-limit.ts';
import type { Setting } from './purse.ts';
import { currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

/**
 * Records that this very request is about to be sent, with its worst case set aside. Steering that slips in meanwhile
 * becomes part of it. Undefined where a limit of money stands before it; the log then says what follows.
 */
export async function recordAsked(
  toolUse: ModelRequest['toolUse'],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<ModelRequest | undefined> {
  for (;;) {
    const request = buildRequest(toolUse, deps);
    const outcome = await recordRequest(request, deps, signal);
    if (outcome === 'recorded') return request;
    if (outcome === 'overtaken') continue;
    await passLimit(outcome.detail, deps, signal);
    return undefined;
  }
}

/** `overtaken` is a request that something was said behind: it has to be made anew. */
type Recorded = 'recorded' | 'overtaken' | { readonly detail: string };

async function recordRequest(request: ModelRequest, deps: StepDeps, signal: AbortSignal): Promise<Recorded> {
  const { recorder, conversation, prompt, purse } = deps;
  const runtime = currentRuntime(deps).name;
  const next = { runtime, prompt, messages: request.messages, effort: request.effort };
  const { prefix, change } = conversation.prefixes.compare(next);
  const call = { runtime, mostPromptTokens: () => conversation.prefixes.mostTokens(next), ...request };
  const budget = await purse.plan(call, recorder.state.isLimitLifted);
  let setting: Setting | undefined;
  const isRecorded = await recorder.recordIfCurrent(async (tx) => {
    setting = await purse.setAside(budget, tx);
    if (setting.type === 'over') return [];
    const { reserved } = setting;
    const entry: TurnEntry = {
      type: 'step.asked',
      ...prefix,
      ...(change && { change }),
      ...(reserved && { reserved }),
    };
    return [entry];
  }, signal);
  if (isRecorded) return 'recorded';
  return setting?.type === 'over' ? { detail: setting.detail } : 'overtaken';
}

function buildRequest(toolUse: ModelRequest['toolUse'], deps: StepDeps): ModelRequest {
  const { state, turn } = deps.recorder;
  const { model, apiMode } = currentRuntime(deps);
  const asked = deps.maxOutputTokens ?? usualOutputTokens[apiMode];
  return {
    model,
    system: deps.prompt.system,
    tools: deps.prompt.tools,
    messages: deps.conversation.messagesFor(turn.turnId),
    toolUse,
    cacheKey: turn.sessionId,
    effort: deps.effort,
    maxOutputTokens: deps.purse.boundOutput(outputAllowance(asked, state.nudges.cut + state.cutCallsInARow)),
  };
}
