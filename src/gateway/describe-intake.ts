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

/** What whoever pressed a button is told in passing; undefined where it did what it says. */
export function describePress(intake: Intake): string | undefined {
  switch (intake.type) {
    case 'denied':
      return notTheirs;
    case 'ignored':
      return intake.reason === 'not-theirs' ? notTheirs : 'This was answered already, or is not asked any more.';
    case 'refused':
    case 'commanded':
    case 'steered':
    case 'admitted':
    case 'answered':
      return describeIntake(intake);
  }
}

const notTheirs = 'This is not for you to answer.';

/** Why something was refused that could not be written down. */
export function describeFailedIntake(thrown: unknown): string {
  return `${withoutFullStop(describeError(thrown))}. Nothing was done; send it again`;
}
