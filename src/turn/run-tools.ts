import type { CallId } from '../base/ids.ts';
import type { ToolCall, ToolOutcome } from '../model/message.ts';
import type { OpenCall } from '../model/turn-state.ts';
import type { AbortCause } from '../model/turn.ts';
import { askConsent } from './ask-consent.ts';
import { findReady } from './find-ready.ts';
import { prepareCall } from './prepare-call.ts';
import type { PreparedCall, ReadyCall } from './prepare-call.ts';
import { recoverCall } from './recover.ts';
import { lookUpTool, runTool } from './run-tool.ts';
import { settleCall } from './settle-call.ts';
import type { ToolDeps } from './tool-deps.ts';

const mostSideBySide = 8;

/** Brings every open call of the turn to exactly one durable outcome. An abort leaves the rest open for the caller to close. */
export async function runTools(deps: ToolDeps, signal: AbortSignal): Promise<void> {
  const open = deps.recorder.state.openCalls;
  const mayBeReady = open.length > 1 && open.every(({ stage }) => stage === 'not-started');
  const ready = mayBeReady ? await findReady(callsOf(open), deps) : [];
  if (ready.length === 0) {
    await runOneByOne(open, deps, signal);
    return;
  }
  await deps.recorder.record(
    ready.map(({ call }) => ({ type: 'tool.called', call })),
    signal,
  );
  await deps.recorder.reach('tool-called');
  await runCalled(ready, deps, signal);
}

function callsOf(open: readonly OpenCall[]): readonly ToolCall[] {
  return open.map(({ call }) => call);
}

async function runOneByOne(open: readonly OpenCall[], deps: ToolDeps, signal: AbortSignal): Promise<void> {
  for (const each of open) {
    if (signal.aborted) return;
    // Only now: an earlier call may have changed what this one would touch.
    const prepared = await prepareCall(each.call, deps.tools, deps.place);
    const outcome = await bringToOutcome(each, prepared, deps, signal);
    if (isCutOffByShutdown(outcome, signal)) return;
    await settleCall(each.call.id, outcome, deps.recorder, signal);
  }
}

/** A shutdown is nobody's decision about a call: it stays open, and the next start finds out what became of it. */
function isCutOffByShutdown(outcome: ToolOutcome, signal: AbortSignal): boolean {
  return outcome.type === 'interrupted' && signal.aborted && (signal.reason as AbortCause).type === 'shutdown';
}

async function bringToOutcome(
  open: OpenCall,
  prepared: PreparedCall,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (open.stage === 'started' && !mayRunAgain(prepared)) {
    return { type: 'unknown', lastSeen: `${open.call.name} had started` };
  }
  if (prepared.type === 'unfit') return prepared.outcome;
  if (open.stage === 'started') {
    // That it was called is on record since long, and nobody is told again.
    const wait = { type: 'tools', calls: [open.call] } as const;
    deps.emit({ type: 'waiting', wait: prepared.tool.recover ? { ...wait, begun: 'before' } : wait });
    const recovery = await recoverCall(prepared.tool, prepared.input, deps.place, () =>
      lookUpTool(prepared, deps, signal),
    );
    if (recovery.type === 'settle') return recovery.outcome;
  }
  // Also for what runs again: consent was given to exactly that act, and the place may have changed since.
  const consent = await askConsent(prepared, open, deps, signal);
  if (consent.type === 'withheld') return consent.outcome;
  if (open.stage === 'not-started') {
    await deps.recorder.record([{ type: 'tool.called', call: open.call }], signal);
    await deps.recorder.reach('tool-called');
  }
  return await runTool(prepared, deps, signal);
}

/** What does not fit any more, or is forbidden by now, did run once: its outcome is unknown, not that of a call that never was. */
function mayRunAgain(prepared: PreparedCall): boolean {
  return prepared.type === 'ready' && prepared.risk.type !== 'forbidden';
}

/** Runs calls that are recorded as called. Outcomes become durable in the order of the calls, whichever finishes first. */
export async function runCalled(ready: readonly ReadyCall[], deps: ToolDeps, signal: AbortSignal): Promise<void> {
  const outcomes = startPool(ready, (prepared) => runTool(prepared, deps, signal));
  for (const { id, outcome } of outcomes) {
    const settled = await outcome;
    if (isCutOffByShutdown(settled, signal)) return;
    await settleCall(id, settled, deps.recorder, signal);
  }
}

interface RunningCall {
  readonly id: CallId;
  readonly outcome: Promise<ToolOutcome>;
}

/** Starts the calls, at most eight at a time. `run` never rejects, so nothing is lost while an earlier one is awaited. */
function startPool(
  ready: readonly ReadyCall[],
  run: (prepared: ReadyCall) => Promise<ToolOutcome>,
): readonly RunningCall[] {
  const running: RunningCall[] = [];
  for (const [index, prepared] of ready.entries()) {
    const predecessor = running[index - mostSideBySide]?.outcome ?? Promise.resolve();
    running.push({ id: prepared.call.id, outcome: predecessor.then(() => run(prepared)) });
  }
  return running;
}
