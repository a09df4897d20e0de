import type { ModelFailure } from '../../model/provider.ts';
import type { TurnResult } from '../../model/turn.ts';
import { unlessUnheard } from '../decide-next.ts';
import type { Next } from '../decide-next.ts';
import type { CompactionDeps } from './compaction-deps.ts';
import { isTooFull } from './measure-prompt.ts';
import type { CompactionCause, CompactionPlan } from './plan-compaction.ts';

/** What a turn does next, once it is known whether its conversation is to be shortened and can be. */
export type Step =
  | Exclude<Next, { readonly type: 'compact' }>
  | { readonly type: 'compact'; readonly plan: CompactionPlan }
  /** A server says that the conversation is too long, and it cannot be made shorter. */
  | { readonly type: 'give-in'; readonly failure: ModelFailure };

/** Shortens before a model is asked with too much. Where nothing is worth shortening, says what follows instead. */
export async function considerCompaction(next: Next, deps: CompactionDeps): Promise<Step> {
  switch (next.type) {
    case 'ask': {
      const plan = (await isDue(deps)) ? await findPlan({ type: 'too-full' }, deps) : undefined;
      return plan === undefined ? next : { type: 'compact', plan };
    }
    case 'compact': {
      const plan = await findPlan(next.cause, deps);
      return plan === undefined ? instead(deps) : { type: 'compact', plan };
    }
    case 'restore':
      return deps.conversation.compactions.inForce === undefined ? settle(nothingToTakeBack, deps) : next;
    case 'undo':
      return considerUndo(next, deps);
    case 'run-tools':
    case 'nudge':
    case 'settle':
      return next;
  }
}

/** What a summary stands for cannot be taken out of it again. */
function considerUndo(next: Extract<Next, { readonly type: 'undo' }>, deps: CompactionDeps): Step {
  const { conversation } = deps;
  if (!conversation.isRead(next.turn)) return settle(nothingToUndo, deps);
  return conversation.isShortened(next.turn) ? settle(undoCompactionFirst, deps) : next;
}

/** Most conversations never get here, so what it takes is loaded only then. */
async function findPlan(cause: CompactionCause, deps: CompactionDeps): Promise<CompactionPlan | undefined> {
  const { planCompaction } = await import('./plan-compaction.ts');
  return await planCompaction(cause, deps);
}

async function isDue(deps: CompactionDeps): Promise<boolean> {
  if (!deps.compaction.isAutomatic || !deps.conversation.compactions.mayRunByItself) return false;
  return await isTooFull(deps);
}

function instead(deps: CompactionDeps): Step {
  const { overflow } = deps.recorder.state;
  return overflow === undefined ? settle(nothingToShorten, deps) : { type: 'give-in', failure: overflow };
}

const nothingToShorten = 'Nothing to shorten: there is too little in this conversation that a summary could stand for.';
const nothingToTakeBack = 'Nothing to take back: the model reads this conversation as it is.';
const nothingToUndo = 'Nothing to take back: the model does not read that turn any more.';
const undoCompactionFirst =
  'Nothing was taken back: that turn was shortened together with others. /compact undo first, then try again.';

function settle(text: string, { recorder }: CompactionDeps): Step {
  const result: TurnResult = { type: 'replied', text, ending: 'complete' };
  return unlessUnheard({ type: 'settle', result }, recorder.state);
}
