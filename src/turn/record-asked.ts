import type { ModelRequest } from '../model/provider.ts';
import { outputAllowance } from './decide-retry.ts';
import { currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

/** Records that this very request is about to be sent. Steering that slips in meanwhile becomes part of it. */
export async function recordAsked(
  toolUse: ModelRequest['toolUse'],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<ModelRequest> {
  const { recorder, conversation, prompt } = deps;
  for (;;) {
    const request = buildRequest(toolUse, deps);
    const { messages, effort } = request;
    const runtime = currentRuntime(deps).name;
    const { prefix, change } = conversation.prefixes.compare({ runtime, prompt, messages, effort });
    const entry = { type: 'step.asked', ...prefix, ...(change === undefined ? {} : { change }) } as const;
    if (await recorder.recordIfCurrent(() => Promise.resolve([entry]), signal)) return request;
  }
}

function buildRequest(toolUse: ModelRequest['toolUse'], deps: StepDeps): ModelRequest {
  const { state, turn } = deps.recorder;
  return {
    model: currentRuntime(deps).model,
    system: deps.prompt.system,
    tools: deps.prompt.tools,
    messages: deps.conversation.messagesFor(turn.turnId),
    toolUse,
    cacheKey: turn.sessionId,
    effort: deps.effort,
    maxOutputTokens: outputAllowance(deps.maxOutputTokens, state.nudges.cut + state.cutCallsInARow),
  };
}
