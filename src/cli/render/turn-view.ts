import { withoutForeignMarks } from '../../base/foreign-text.ts';
import type { CallId } from '../../base/ids.ts';
import { isQuestion, wentWrong } from '../../model/call-summary.ts';
import { partsToText } from '../../model/message.ts';
import type { AssistantMessage, ToolCall, ToolOutcome } from '../../model/message.ts';
import type { Finish } from '../../model/provider.ts';
import type { Compaction, ConsentRule, NudgeCause, StepEvent, TurnEntry } from '../../model/turn.ts';
import { describeCall } from './describe-call.ts';
import { firstLine } from './one-line.ts';
import { shortDiff } from './short-diff.ts';
import type { DiffLine } from './short-diff.ts';

/** A piece of what a person sees of a turn. Where it goes and how it looks is up to whoever prints it. */
export type Piece =
  | { readonly type: 'asked'; readonly text: string }
  | { readonly type: 'thinking' }
  /** The next words of the model; they go on where the last ones stopped. */
  | { readonly type: 'speech'; readonly text: string }
  /** An answer is complete. An `aside` is what was said before tools were called. */
  | { readonly type: 'speech.ended'; readonly text: string; readonly purpose: 'aside' | 'answer' }
  | { readonly type: 'call'; readonly text: string }
  /** The model has a question. Where a person can be asked it follows in full. */
  | { readonly type: 'asking'; readonly text: string }
  /** Why something failed or was refused has room for what would mend it. */
  | { readonly type: 'outcome'; readonly text: string; readonly room: 'row' | 'few-rows' }
  /** What the call right above changed in a file. */
  | { readonly type: 'diff'; readonly lines: readonly DiffLine[] }
  | { readonly type: 'note'; readonly text: string };

/** What a screen has shown of a turn, as far as it decides what is shown next. */
export interface TurnView {
  /** How often the turn was begun. */
  readonly starts: number;
  readonly calls: readonly ToolCall[];
  readonly lastCalled: CallId | undefined;
  /** The text of the answer that is on the screen and in the log. */
  readonly said: string;
  /** What of it was cut off by length: the next answer goes on from there, while any other begins anew. */
  readonly cut: string;
  /** The text that is on the screen and not in the log yet. */
  readonly preview: string;
  readonly isThinking: boolean;
  /** Whether an answer was under way before anyone looked: then it is shown once, when it is whole. */
  readonly isLate: boolean;
  /** What was done to the conversation. It is shown with what comes next, unless that is the reply of a turn that was about it. */
  readonly untold: string | undefined;
}

export const blankView: TurnView = {
  starts: 0,
  calls: [],
  lastCalled: undefined,
  said: '',
  cut: '',
  preview: '',
  isThinking: false,
  isLate: false,
  untold: undefined,
};

export interface Shown {
  readonly view: TurnView;
  readonly pieces: readonly Piece[];
}

const longestOutcome = 100;
// As long as a reason with its remedy is; how much of it is shown depends on the screen.
const longestTrouble = 400;
// In front of an outcome that is to be seen as well.
const longestName = 40;

/** What an event adds to the screen. Events of a turn that runs and entries of one that ended are shown alike. Pure. */
export function showEvent(view: TurnView, event: StepEvent): Shown {
  switch (event.type) {
    case 'entry':
      return showUntold(view, event.logged.entry);
    case 'text.delta':
      if (view.isLate) return shown(view, []);
      return shown({ ...view, preview: view.preview + event.text, isThinking: false }, [
        { type: 'speech', text: event.text },
      ]);
    case 'reasoning.delta':
      return shown({ ...view, isThinking: true }, view.isThinking ? [] : [{ type: 'thinking' }]);
    case 'notice':
      return shown(view, [{ type: 'note', text: event.text }]);
    case 'call.begun':
    case 'tool.progress':
    case 'waiting':
    case 'status':
      return shown(view, []);
  }
}

/** What is missing on the screen of a reply that is to be shown now: all, its end, or nothing. Pure. */
export function missingOf(reply: string, view: TurnView): string {
  return view.said !== '' && reply.startsWith(view.said) ? reply.slice(view.said.length) : reply;
}

function showUntold({ untold, ...view }: TurnView, entry: TurnEntry): Shown {
  const next = showEntry({ ...view, untold: undefined }, entry);
  const tellsItself = entry.type === 'turn.settled' && entry.result.type === 'replied';
  return untold === undefined || tellsItself
    ? next
    : shown(next.view, [{ type: 'note', text: untold }, ...next.pieces]);
}

function showEntry(view: TurnView, entry: TurnEntry): Shown {
  switch (entry.type) {
    case 'turn.admitted':
    case 'turn.steered':
      return shown(view, [{ type: 'asked', text: partsToText(entry.parts) }]);
    case 'turn.claimed':
      return showStart(view);
    case 'turn.nudged':
      return shown(
        view,
        nudgeNotes[entry.cause].map((text) => ({ type: 'note', text })),
      );
    case 'step.asked':
      return shown({ ...view, isThinking: false, isLate: false }, []);
    case 'step.finished':
      return showAnswer(view, entry.message, entry.finish);
    case 'step.failed':
      return shown(
        { ...view, preview: '', isLate: false },
        view.preview === '' ? [] : [{ type: 'note', text: 'the answer broke off; what came of it does not count' }],
      );
    case 'tool.called':
      return shown({ ...view, lastCalled: entry.call.id }, [
        { type: isQuestion(entry.call) ? 'asking' : 'call', text: describeCall(entry.call) },
      ]);
    case 'tool.settled':
      return showOutcome(view, entry.callId, entry.outcome);
    case 'context.compacted':
      return shown({ ...view, untold: describeCompaction(entry) }, []);
    case 'context.restored':
      return shown({ ...view, untold: 'what was shortened last is read again as it was' }, []);
    case 'context.undone':
      return shown({ ...view, untold: 'the last turn was taken back: the model no longer reads it' }, []);
    case 'approval.answered':
      return shown(view, entry.rule === undefined ? [] : ruleNotes[entry.rule].map((text) => ({ type: 'note', text })));
    case 'turn.released':
    case 'turn.announced':
    case 'turn.settled':
    case 'compaction.asked':
    case 'limit.reached':
    case 'approval.asked':
    case 'question.answered':
      return shown(view, []);
  }
}

function describeCompaction({ before, after }: Compaction): string {
  const [from, to] = [before, after].map((tokens) => tokens.toLocaleString('en'));
  return `the conversation was shortened for the model, from about ${from} to ${to} tokens; /compact undo takes it back`;
}

const nudgeNotes: Readonly<Record<NudgeCause, readonly string[]>> = {
  cut: [],
  empty: [],
  news: [],
  budget: ['the steps of this turn are used up; asking for a summary'],
};

const ruleNotes: Readonly<Record<ConsentRule, readonly string[]>> = {
  yolo: ['allowed without asking: /yolo is on'],
  session: ['allowed by your earlier word (session)'],
  always: ['allowed by your earlier word (always)'],
  yes: ['allowed by --yes'],
  // The outcome of the call says that nobody answered.
  timeout: [],
};

function showStart(view: TurnView): Shown {
  const isSecond = view.starts > 0;
  return shown(
    { ...view, starts: view.starts + 1, preview: '' },
    isSecond ? [{ type: 'note', text: 'going on where the program had ended' }] : [],
  );
}

function showAnswer(view: TurnView, { parts, calls }: AssistantMessage, finish: Finish): Shown {
  const text = partsToText(parts);
  const isKnown = text.startsWith(view.preview);
  const rest = isKnown ? text.slice(view.preview.length) : `\n${text}`;
  const purpose = calls.length > 0 ? 'aside' : 'answer';
  const speech: readonly Piece[] = rest === '' ? [] : [{ type: 'speech', text: rest }];
  const ended: readonly Piece[] = text === '' ? [] : [{ type: 'speech.ended', text, purpose }];
  const said = purpose === 'aside' ? '' : view.cut + text;
  const cut = finish === 'length' ? said : view.cut;
  return shown({ ...view, calls, said, cut, preview: '', isThinking: false, isLate: false }, [...speech, ...ended]);
}

function showOutcome(view: TurnView, callId: CallId, outcome: ToolOutcome): Shown {
  const call = view.calls.find(({ id }) => id === callId);
  // Right below its call the outcome needs no name; calls that ran side by side do.
  const name = call === undefined || view.lastCalled === callId ? '' : `${describeCall(call, longestName)}: `;
  const { mark, word, text } = describeOutcome(outcome, call);
  // What became of it comes first: a narrow screen shows no more than the beginning.
  const line = `${mark} ${word === undefined ? '' : `${word}: `}${name}${text}`.trimEnd();
  const room = outcome.type === 'done' ? 'row' : 'few-rows';
  // What may have happened twice, or not at all, is read to its end: an outcome is cut.
  const piece: Piece = mark === '?' ? { type: 'note', text: `  ${line}` } : { type: 'outcome', text: line, room };
  const lines = shortDiff(call, outcome);
  const diff: readonly Piece[] = lines.length === 0 ? [] : [{ type: 'diff', lines }];
  return shown({ ...view, lastCalled: undefined, said: '', cut: '' }, [piece, ...diff]);
}

interface OutcomeText {
  readonly mark: '✓' | '✗' | '?';
  readonly word?: 'refused';
  readonly text: string;
}

function describeOutcome(outcome: ToolOutcome, call: ToolCall | undefined): OutcomeText {
  switch (outcome.type) {
    case 'done':
      return {
        mark: wentWrong(outcome, call) ? '✗' : '✓',
        text: firstLine(tellingPart(partsToText(outcome.parts), call), longestOutcome),
      };
    case 'refused':
      return { mark: '✗', word: 'refused', text: firstLine(firstSentence(outcome.reason), longestTrouble) };
    case 'failed':
      return { mark: '✗', text: firstLine(withoutForeignMarks(outcome.message), longestTrouble) };
    case 'interrupted':
      return { mark: '✗', text: 'stopped' };
    case 'unknown':
      return {
        mark: '?',
        text: 'the program ended while this ran; whether it took effect is unknown, and it was not run again',
      };
  }
}

/** A list of tasks ends with how far it is; everything else begins with what it has to say. */
function tellingPart(text: string, call: ToolCall | undefined): string {
  return call?.name === 'todo' ? text.slice(text.lastIndexOf('\n') + 1) : withoutForeignMarks(text);
}

/** The reason of a refusal goes on with what the model is to do about it. */
function firstSentence(text: string): string {
  return /^[\s\S]*?(?=\.\s|$)/.exec(text)?.[0] ?? text;
}

function shown(view: TurnView, pieces: readonly Piece[]): Shown {
  return { view, pieces };
}
