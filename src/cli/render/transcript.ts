import type { TurnId } from '../../base/ids.ts';
import { underlyingCall } from '../../model/bridged-call.ts';
import { isQuestion } from '../../model/call-summary.ts';
import { foldTurn } from '../../model/turn-state.ts';
import type { OpenCall } from '../../model/turn-state.ts';
import type { LoggedEntry, TurnResult } from '../../model/turn.ts';
import { describeArguments } from './describe-call.ts';
import { blankView, missingOf, showEvent } from './turn-view.ts';
import type { Piece, TurnView } from './turn-view.ts';

/** A turn of the log as a person reads it, and what a screen that shows it has on it. */
export interface TurnTranscript {
  readonly turnId: TurnId;
  readonly pieces: readonly Piece[];
  readonly view: TurnView;
  readonly result: TurnResult | undefined;
}

/**
 * Whether what is unfinished in a session runs in a gateway, or was left by a program that has ended; `elsewhere` where only the
 * program that has the home knows.
 */
export type Unfinished = 'at-work' | 'left' | 'elsewhere';

/** The turns of a session in order of admission. Pure. */
export function transcribe(entries: readonly LoggedEntry[], unfinished: Unfinished): readonly TurnTranscript[] {
  const byTurn = [...Map.groupBy(entries, (logged) => logged.turnId)];
  return byTurn.map(([turnId, ofTurn]) => transcribeTurn(turnId, ofTurn, unfinished));
}

function transcribeTurn(turnId: TurnId, entries: readonly LoggedEntry[], unfinished: Unfinished): TurnTranscript {
  const pieces: Piece[] = [];
  let view = blankView;
  for (const logged of entries) {
    const shown = showEvent(view, { type: 'entry', logged });
    view = shown.view;
    pieces.push(...shown.pieces);
  }
  const { result, openCalls } = foldTurn(entries.map(({ entry }) => entry));
  if (view.untold !== undefined) pieces.push({ type: 'note', text: view.untold });
  if (result !== undefined) pieces.push(...showResult(result, view));
  else pieces.push(...showUnfinished(unfinished, openCalls, view));
  const isLate = result === undefined && unfinished === 'at-work';
  return { turnId, pieces, view: { ...view, untold: undefined, isLate }, result };
}

function showResult(result: TurnResult, view: TurnView): readonly Piece[] {
  switch (result.type) {
    case 'replied': {
      const missing = missingOf(result.text, view);
      return missing === ''
        ? []
        : [
            { type: 'speech', text: missing },
            { type: 'speech.ended', text: missing, purpose: 'answer' },
          ];
    }
    case 'interrupted':
      return [{ type: 'note', text: 'stopped' }];
    case 'failed':
      return [{ type: 'note', text: `this did not work: ${result.reason}` }];
    case 'parked':
      return [{ type: 'note', text: `put aside: ${result.reason}` }];
  }
}

function showUnfinished(unfinished: Unfinished, openCalls: readonly OpenCall[], view: TurnView): readonly Piece[] {
  switch (unfinished) {
    case 'at-work':
      return showWork(openCalls, view);
    case 'left':
      return showOpenEnd(openCalls);
    case 'elsewhere':
      return [{ type: 'note', text: 'this turn is unfinished; it may be under way in another terminal' }];
  }
}

/** What is under way: whoever reads this can follow it. */
function showWork(openCalls: readonly OpenCall[], { starts }: TurnView): readonly Piece[] {
  if (starts === 0) return [{ type: 'note', text: 'this waits for its turn in the gateway' }];
  const started = openCalls.filter(({ stage }) => stage === 'started');
  if (started.some(({ call }) => isQuestion(call))) return [{ type: 'note', text: 'this waits for an answer' }];
  if (started.length === 0) return [{ type: 'note', text: 'the gateway works on this' }];
  return started.map(({ call }) => ({
    type: 'note',
    text: `this runs in the gateway: ${underlyingCall(call).name} \`${describeArguments(call)}\``,
  }));
}

/** What was under way when the program ended. Acts that had begun are told apart from those that had not. */
function showOpenEnd(openCalls: readonly OpenCall[]): readonly Piece[] {
  const started = openCalls.filter(({ stage, call }) => stage === 'started' && !isQuestion(call));
  if (started.length === 0) return [{ type: 'note', text: 'the program ended here; this turn is unfinished' }];
  return started.map(({ call }) => ({
    type: 'note',
    text: `the program ended while this ran: ${underlyingCall(call).name} \`${describeArguments(call)}\`; what came of it is looked up, and nothing unsafe is run again`,
  }));
}
