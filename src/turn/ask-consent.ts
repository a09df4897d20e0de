import { describeError } from '../base/errors.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import type { ApprovalAnswer } from '../model/approvals.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { Risk } from '../model/tool.ts';
import type { OpenCall } from '../model/turn-state.ts';
import type { Verdict } from '../model/turn.ts';
import type { ReadyCall } from './prepare-call.ts';
import type { ToolDeps } from './tool-deps.ts';

export type Consent = { readonly type: 'given' } | { readonly type: 'withheld'; readonly outcome: ToolOutcome };

const deniedText =
  'the user did not allow this. Unless the user says otherwise, do not try it again, rephrase it or reach the same end another way; say what you wanted to do and wait';

/** Whether a call may run. An answer is bound to exactly this act by its digest, and is used once. */
export async function askConsent(
  prepared: ReadyCall,
  open: OpenCall,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<Consent> {
  const { risk } = prepared;
  switch (risk.type) {
    case 'safe':
      return { type: 'given' };
    case 'forbidden':
      if (risk.is === 'mistake') return withheld({ type: 'failed', message: risk.reason });
      return withheld({
        type: 'refused',
        reason: `${withoutFullStop(risk.reason)}. This is never run; the user can do it by hand`,
      });
    case 'ask':
      break;
  }
  if (open.approval?.digest === prepared.digest) return toConsent(open.approval.verdict);
  return await askPerson(prepared, risk, deps, signal);
}

async function askPerson(
  { call, digest }: ReadyCall,
  { question, standing }: Extract<Risk, { readonly type: 'ask' }>,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<Consent> {
  const { recorder } = deps;
  await recorder.record([{ type: 'approval.asked', callId: call.id, digest, question }], signal);
  await recorder.reach('approval-asked');
  try {
    const request = { turn: recorder.turn, call, digest, question, ...(standing && { standing }) };
    const answer = await deps.approvals.ask(request, signal);
    await recorder.record([{ type: 'approval.answered', callId: call.id, digest, ...answer }], signal);
    await recorder.reach('approval-answered');
    return readAnswer(answer);
  } catch (thrown) {
    if (signal.aborted) return withheld({ type: 'interrupted' });
    return withheld({ type: 'refused', reason: `nobody could be asked: ${describeError(thrown)}` });
  }
}

function readAnswer({ verdict, by, rule }: ApprovalAnswer): Consent {
  if (rule === 'timeout') return withheld({ type: 'refused', reason: `nobody answered in time: ${deniedText}` });
  return by === null ? nobodyAsked : toConsent(verdict);
}

const nobodyAsked = withheld({
  type: 'refused',
  reason: 'it needs the consent of the user, and nobody could be asked here. Say what you wanted to do',
});

function toConsent(verdict: Verdict): Consent {
  return verdict === 'approved' ? { type: 'given' } : withheld({ type: 'refused', reason: deniedText });
}

function withheld(outcome: ToolOutcome): Consent {
  return { type: 'withheld', outcome };
}
