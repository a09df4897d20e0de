import type { CallId } from '../base/ids.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { OpenCall } from '../model/turn-state.ts';
import type { AbortCause } from '../model/turn.ts';
import { askConsent } from './ask-consent.ts';
import { decideOrder } from './decide-order.ts';
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
  const ready = await readyForSideBySide(open, deps);
  if (ready === undefined) await runOneByOne(open, deps, signal);
  else await runSideBySide(ready, deps, signal);
}

/** The calls, if all of them can run at once; undefined where even one has to wait its turn. */
async function readyForSideBySide(
  open: readonly OpenCall[],
  deps: ToolDeps,
): Promise<readonly ReadyCall[] | undefined> {
  if (open.length < 2 || open.some(({ stage }) => stage === 'started')) return undefined;
  const prepared = await Promise.all(open.map(({ call }) => prepareCall(call, deps.tools, deps.place)));
  const ready = prepared.filter((each) => each.type === 'ready');
  if (ready.length < open.length) return undefined;
  const order = decideOrder(
    ready.map(({ tool, input, risk }) => ({
      effect: tool.effect,
      footprint: tool.footprint(input, deps.place),
      needs: risk.type === 'safe' ? 'nothing' : 'consent',
    })),
  );
  return order === 'side-by-side' ? ready : undefined;
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

/** Outcomes become durable one by one in the order of the calls, whichever finishes first. */
async function runSideBySide(ready: readonly ReadyCall[], deps: ToolDeps, signal: AbortSignal): Promise<void> {
  await deps.recorder.record(
    ready.map(({ call }) => ({ type: 'tool.called', call })),
    signal,
  );
  await deps.recorder.reach('tool-called');
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
