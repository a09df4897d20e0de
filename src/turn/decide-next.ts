import type { TurnId } from '../base/ids.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import { partsToText } from '../model/message.ts';
import type { ModelFailure } from '../model/provider.ts';
import type { LastAnswer, TurnState } from '../model/turn-state.ts';
import type { NudgeCause, Purpose, TurnResult } from '../model/turn.ts';
import type { CompactionCause } from './compact/plan-compaction.ts';
import { describeFailure } from './describe-failure.ts';

export interface TurnLimits {
  /** How many answers of the model one turn may take. */
  readonly maxSteps: number;
}

export type Next =
  | { readonly type: 'run-tools' }
  | { readonly type: 'ask'; readonly toolUse: 'allowed' | 'forbidden' }
  | { readonly type: 'nudge'; readonly cause: DecidedCause; readonly text: string }
  | { readonly type: 'compact'; readonly cause: CompactionCause }
  | { readonly type: 'restore' }
  | { readonly type: 'undo'; readonly turn: TurnId }
  | { readonly type: 'settle'; readonly result: TurnResult };

/** News are no decision: they are added to whatever is asked next. */
type DecidedCause = Exclude<NudgeCause, 'news'>;

const mostCutContinuations = 3;
const mostMisfitSteps = 3;
// What was live in two crashes in a row may well be what caused them, however far it got: it is not begun a third time.
export const startsUntilParked = 3;

const outOfStepsText = 'The steps of this turn are used up, and the model gave no summary of them.';

const nudgeTexts: Readonly<Record<DecidedCause, string>> = {
  cut: 'Your answer was cut off by the output limit. Go on exactly where it stopped, without repeating anything.',
  empty: 'Your last answer was empty. Go on with the task, or say what you found.',
  budget:
    'You have used up the steps that this turn may take. Without calling any tool, say what was done, what was found, and what is left to do.',
};

/** What a turn does next, from its log alone: the same in a running turn and after a crash. Pure. */
export function decideNext(state: TurnState, limits: TurnLimits): Next {
  if (state.unreleasedStarts >= startsUntilParked) return settle(parked());
  if (state.stoppedByLimit !== undefined) return settle(failed(state.stoppedByLimit));
  const next = decideOnward(state, limits);
  return next.type === 'settle' ? unlessUnheard(next, state) : next;
}

type Settle = Extract<Next, { readonly type: 'settle' }>;
type Ask = Extract<Next, { readonly type: 'ask' }>;

/** What was said meanwhile is carried by one more request, however the turn would have ended. */
export function unlessUnheard(next: Settle, state: TurnState): Settle | Ask {
  if (state.waitingSteers === 0) return next;
  return { type: 'ask', toolUse: state.nudges.budget > 0 ? 'forbidden' : 'allowed' };
}

function decideOnward(state: TurnState, limits: TurnLimits): Next {
  if (state.openCalls.length > 0) return { type: 'run-tools' };
  if (state.gaveUp !== undefined) return decideAfterGivingUp(state, state.gaveUp);
  if (state.overflow !== undefined) return { type: 'compact', cause: { type: 'overflow' } };
  // Once something was asked, the turn is about what was said to it meanwhile.
  const work = state.purpose === undefined || state.hasAsked ? undefined : decidePurpose(state, state.purpose);
  if (work !== undefined) return work;
  if (state.misfitSteps >= mostMisfitSteps)
    return settle(failed('the model wrote calls that fit no tool three times in a row'));
  const isLastWord = state.nudges.budget > 0;
  if (state.answer !== undefined) return decideAfterAnswer(state, state.answer, isLastWord);
  if (isLastWord) return { type: 'ask', toolUse: 'forbidden' };
  return state.stepsFinished >= limits.maxSteps ? nudge('budget') : { type: 'ask', toolUse: 'allowed' };
}

/** Undefined where the work is done and the turn goes on like any other. */
function decidePurpose({ compacted, hasRestored, hasUndone }: TurnState, purpose: Purpose): Next | undefined {
  switch (purpose.type) {
    case 'compact':
      if (compacted === undefined) return { type: 'compact', cause: { type: 'asked', focus: purpose.focus } };
      return settle(
        replied(
          `Shortened: about ${compacted.before.toLocaleString('en')} → ${compacted.after.toLocaleString('en')} tokens. /compact undo takes it back.`,
        ),
      );
    case 'undo-compaction':
      return hasRestored ? settle(replied(takenBackText)) : { type: 'restore' };
    case 'undo':
      return hasUndone ? settle(replied(describeUndone(purpose.said))) : { type: 'undo', turn: purpose.turn };
    case 'retry':
      return hasUndone ? undefined : { type: 'undo', turn: purpose.turn };
  }
}

function describeUndone(said: string | undefined): string {
  const what = said === undefined ? 'your last message' : `“${said}”`;
  return `Taken back: ${what} and its answer. The model no longer reads them. They stay in the log and in the search, and what tools did stays done.`;
}

const takenBackText =
  'Taken back: the model reads what was shortened last as it was. It is not shortened again by itself unless the model cannot take it.';

function decideAfterAnswer(state: TurnState, { message, finish }: LastAnswer, isLastWord: boolean): Next {
  const text = partsToText(message.parts);
  if (finish === 'length') {
    if (state.textSoFar === '')
      return settle(failed('the model used up its whole answer thinking; ask for less at once, or lower its effort'));
    if (state.nudges.cut < mostCutContinuations) return nudge('cut');
    return settle({ type: 'replied', text: state.textSoFar, ending: 'cut-short' });
  }
  if (finish === 'filtered' && text === '') return settle(failed('the provider withheld the answer'));
  if (isLastWord) return settle({ type: 'replied', text: state.textSoFar + text, ending: 'out-of-budget' });
  return settle({ type: 'replied', text: state.textSoFar + text, ending: 'complete' });
}

function decideAfterGivingUp(state: TurnState, failure: ModelFailure): Next {
  if (state.nudges.budget > 0) return settle({ type: 'replied', text: outOfStepsText, ending: 'out-of-budget' });
  const isEmpty = failure.type === 'unusable' && failure.kind === 'empty';
  if (isEmpty && state.nudges.empty === 0) return nudge('empty');
  const what = describeFailure(failure);
  return settle(failed(state.advice === undefined ? what : `${withoutFullStop(what)}; ${state.advice}`));
}

function nudge(cause: DecidedCause): Next {
  return { type: 'nudge', cause, text: nudgeTexts[cause] };
}

function settle(result: TurnResult): Settle {
  return { type: 'settle', result };
}

function replied(text: string): TurnResult {
  return { type: 'replied', text, ending: 'complete' };
}

function failed(reason: string): TurnResult {
  return { type: 'failed', reason };
}

const parkedReason =
  'the program ended twice in a row while it worked on this. What was done so far is kept: say “go on” to try once more, or go on with something else';

function parked(): TurnResult {
  return { type: 'parked', reason: parkedReason };
}
