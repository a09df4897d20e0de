import type { CallId, TurnId } from '../base/ids.ts';
import { withoutForeignMarks } from '../base/foreign-text.ts';
import { wentWrong } from '../model/call-summary.ts';
import { callLine } from '../model/call-words.ts';
import { partsToText } from '../model/message.ts';
import type { ToolCall, ToolOutcome } from '../model/message.ts';
import type { ConsentRule, LoggedEntry, TurnEntry } from '../model/turn.ts';
import type { ChatItem } from './chat-item.ts';

type Admitted = Extract<TurnEntry, { readonly type: 'turn.admitted' }>;
type Finished = Extract<TurnEntry, { readonly type: 'step.finished' }>;
type Answered = Extract<TurnEntry, { readonly type: 'approval.answered' }>;

/** A call without an outcome, and what came of asking whether it may run. */
interface OpenCall {
  readonly call: ToolCall;
  readonly seq: number;
  readonly consent: string;
}

/** Something that the model said, as long as it may still turn out to be the reply. */
interface Speech {
  readonly first: LoggedEntry;
  readonly text: string;
  /** `cut`: by the length of answers, so that what is said next goes on with it. */
  readonly end: 'whole' | 'cut';
}

interface Work {
  readonly seq: number;
  readonly state: 'open' | 'settled';
}

const longestLine = 160;

/**
 * What people see of a turn besides its message and its reply: what the model said on the way, and a line for each thing
 * that it did. Entries come in order; each of them completes one item at most, so that a place in the log is a place here.
 */
export class TurnTrace {
  #speech: Speech | undefined;
  readonly #calls = new Map<CallId, OpenCall>();
  /** Commands that run as turns: what answers them is not the model's word. */
  readonly #works = new Map<TurnId, Work>();

  /** The first entry that is needed to understand those that follow; undefined where none is. */
  get since(): number | undefined {
    const seqs = [...this.#calls.values(), ...this.#works.values()].map(({ seq }) => seq);
    if (this.#speech) seqs.push(this.#speech.first.seq);
    return seqs.length === 0 ? undefined : Math.min(...seqs);
  }

  take(logged: LoggedEntry): ChatItem | undefined {
    const { entry } = logged;
    switch (entry.type) {
      case 'step.finished':
        return this.#finishStep(logged, entry);
      case 'step.asked':
        // It was whole and the model is asked again, since someone said something meanwhile: it is not the reply.
        return this.#speech?.end === 'whole' ? this.#endSpeech() : undefined;
      case 'approval.asked':
        this.#note(entry.callId, 'asked, and not answered');
        return undefined;
      case 'approval.answered':
        this.#note(entry.callId, describeAnswer(entry));
        return undefined;
      case 'tool.settled':
        return this.#settleCall(logged, entry.callId, entry.outcome);
      case 'limit.reached':
        return entry.verdict === 'lifted' ? act(logged, `✓ went on past the limit ${entry.detail}`) : undefined;
      case 'turn.settled':
        this.#settleWork(logged.turnId);
        return this.#settleTurn(entry.result.type === 'replied');
      case 'turn.admitted':
        if (isWork(entry)) this.#works.set(logged.turnId, { seq: logged.seq, state: 'open' });
        return undefined;
      case 'turn.claimed':
      case 'turn.released':
      case 'turn.announced':
      case 'turn.steered':
      case 'turn.nudged':
      case 'step.failed':
      case 'question.answered':
      case 'tool.called':
      case 'compaction.asked':
      case 'context.compacted':
      case 'context.restored':
      case 'context.undone':
        return undefined;
    }
  }

  /** Who wrote the reply to a turn. It is not asked again. */
  takeReply(turnId: TurnId): 'model' | 'program' {
    return this.#works.delete(turnId) ? 'program' : 'model';
  }

  /** One that was to be answered and was not is forgotten when the next turn is over. */
  #settleWork(turnId: TurnId): void {
    for (const [id, { state }] of this.#works) if (state === 'settled') this.#works.delete(id);
    const own = this.#works.get(turnId);
    if (own) this.#works.set(turnId, { ...own, state: 'settled' });
  }

  #finishStep(logged: LoggedEntry, { message, finish }: Finished): ChatItem | undefined {
    for (const call of message.calls) this.#calls.set(call.id, { call, seq: logged.seq, consent: '' });
    const text = (this.#speech?.text ?? '') + partsToText(message.parts);
    const first = this.#speech?.first ?? logged;
    if (text !== '') this.#speech = { first, text, end: finish === 'length' ? 'cut' : 'whole' };
    // With calls to run, or stopped, it cannot become the reply any more.
    return message.calls.length > 0 || finish === 'interrupted' ? this.#endSpeech() : undefined;
  }

  #endSpeech(): ChatItem | undefined {
    if (this.#speech === undefined) return undefined;
    const { first, text } = this.#speech;
    this.#speech = undefined;
    return { id: idOf(first), type: 'aside', at: first.at, text, turn: first.turnId };
  }

  #note(callId: CallId, consent: string): void {
    const open = this.#calls.get(callId);
    if (open) this.#calls.set(callId, { ...open, consent });
  }

  #settleCall(logged: LoggedEntry, callId: CallId, outcome: ToolOutcome): ChatItem | undefined {
    const open = this.#calls.get(callId);
    if (open === undefined) return undefined;
    this.#calls.delete(callId);
    return act(logged, describeCall(open, outcome));
  }

  #settleTurn(hasReplied: boolean): ChatItem | undefined {
    this.#calls.clear();
    const item = this.#endSpeech();
    // What was said last stands in the reply.
    return hasReplied ? undefined : item;
  }
}

/** A retry says a message again, which the model answers. */
function isWork({ purpose }: Admitted): boolean {
  return purpose !== undefined && purpose.type !== 'retry';
}

function describeAnswer({ verdict, by, rule, scope }: Answered): string {
  if (rule !== undefined) return ruleTexts[rule];
  if (by === null) return 'asked, and not answered';
  if (verdict === 'denied') return 'denied';
  return scope === undefined ? 'allowed' : scopeTexts[scope];
}

const ruleTexts: Readonly<Record<ConsentRule, string>> = {
  yolo: 'allowed by /yolo',
  session: 'allowed by your earlier word (session)',
  always: 'allowed by your earlier word (always)',
  yes: 'allowed by --yes',
  timeout: 'asked, and not answered in time',
};

const scopeTexts: Readonly<Record<NonNullable<Answered['scope']>, string>> = {
  session: 'allowed for the session',
  always: 'allowed always',
};

function describeCall({ call, consent }: OpenCall, outcome: ToolOutcome): string {
  const mark = outcome.type === 'unknown' ? '?' : wentWrong(outcome, call) ? '✗' : '✓';
  const what = callLine(call, longestLine);
  const ends = [consent, describeEnd(outcome, consent)].filter((text) => text !== '');
  return `${mark} ${[what, ...ends].join(' · ')}`;
}

function describeEnd(outcome: ToolOutcome, consent: string): string {
  switch (outcome.type) {
    case 'done':
      return '';
    case 'refused':
      return consent === '' ? clip(outcome.reason) : '';
    case 'failed':
      return clip(withoutForeignMarks(outcome.message));
    case 'interrupted':
      return 'stopped';
    case 'unknown':
      return 'the program ended while this ran; whether it took effect is unknown';
  }
}

function clip(text: string): string {
  const characters = Array.from(text.trim().replaceAll(/\s+/g, ' '));
  return characters.length <= longestLine ? characters.join('') : `${characters.slice(0, longestLine - 1).join('')}…`;
}

function act(logged: LoggedEntry, text: string): ChatItem {
  return { id: idOf(logged), type: 'act', at: logged.at, text, turn: logged.turnId };
}

function idOf({ sessionId, seq }: LoggedEntry): string {
  return `${sessionId}.${seq}`;
}
