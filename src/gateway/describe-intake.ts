import { describeError } from '../base/errors.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import type { Intake } from './intake.ts';

/** What the sender is told at once; undefined where a turn answers, or nobody needs to. */
export function describeIntake(intake: Intake): string | undefined {
  switch (intake.type) {
    case 'commanded':
    case 'denied':
      return intake.reply;
    case 'refused':
      return `That was not taken in: ${intake.reason}.`;
    case 'steered':
      return intake.behind === 'question' ? `${notedText} ${questionWaits}` : notedText;
    case 'admitted':
      return intake.told;
    case 'answered':
    case 'ignored':
      return undefined;
  }
}

const notedText = 'Noted: it reaches the running turn with its next step.';
const questionWaits = 'The question above still waits: a button answers it, or /approve and /deny.';

/** Why something was refused that could not be written down. */
export function describeFailedIntake(thrown: unknown): string {
  return `${withoutFullStop(describeError(thrown))}. Nothing was done; send it again`;
}
