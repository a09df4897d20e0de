import { hash } from 'node:crypto';
import { describeError } from '../base/errors.ts';
import type { ApprovalAnswer } from '../model/approvals.ts';
import type { StepDeps } from './step-deps.ts';

/** What to do at a limit of money: asks, where that is what the settings say, and records the verdict for the rest of the turn. */
export async function passLimit(detail: string, deps: StepDeps, signal: AbortSignal): Promise<void> {
  const { verdict, by } = await judge(detail, deps, signal);
  if (signal.aborted) return;
  const entry = { type: 'limit.reached', detail, verdict: verdict === 'approved' ? 'lifted' : 'stopped', by } as const;
  await deps.recorder.record([entry], signal);
}

const nobody: ApprovalAnswer = { verdict: 'denied', by: null };

async function judge(
  detail: string,
  { purse, approvals, recorder, emit }: StepDeps,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  if (purse.whenReached === 'stop') return nobody;
  const { turn } = recorder;
  const digest = hash('sha256', `${turn.turnId} ${recorder.state.stepsFinished} ${detail}`);
  const question = `${detail[0]?.toUpperCase()}${detail.slice(1)}. Go on in this turn without a limit?`;
  try {
    return await approvals.ask({ turn, digest, question }, signal);
  } catch (thrown) {
    if (!signal.aborted) emit({ type: 'notice', text: `nobody could be asked: ${describeError(thrown)}` });
    return nobody;
  }
}
