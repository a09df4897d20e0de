import type { TurnId } from '../../base/ids.ts';
import { underlyingCall } from '../../model/bridged-call.ts';
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

/** The turns of a session in order of admission. Pure. */
export function transcribe(entries: readonly LoggedEntry[]): readonly TurnTranscript[] {
  return [...Map.groupBy(entries, (logged) => logged.turnId)].map(([turnId, ofTurn]) => transcribeTurn(turnId, ofTurn));
}

function transcribeTurn(turnId: TurnId, entries: readonly LoggedEntry[]): TurnTranscript {
  const pieces: Piece[] = [];
  let view = blankView;
  for (const logged of entries) {
    const shown = showEvent(view, { type: 'entry', logged });
    view = shown.view;
    pieces.push(...shown.pieces);
  }
  const { result, openCalls } = foldTurn(entries.map(({ entry }) => entry));
  pieces.push(...(result === undefined ? showOpenEnd(openCalls) : showResult(result, view)));
  return { turnId, pieces, view, result };
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

/** What was under way when the program ended. Acts that had begun are told apart from those that had not. */
function showOpenEnd(openCalls: readonly OpenCall[]): readonly Piece[] {
  const started = openCalls.filter(({ stage }) => stage === 'started');
  if (started.length === 0) return [{ type: 'note', text: 'the program ended here; this turn is unfinished' }];
  return started.map(({ call }) => ({
    type: 'note',
    text: `the program ended while this ran: ${underlyingCall(call).name} \`${describeArguments(call)}\`; unless repeating it is harmless, it is not run again`,
  }));
}
