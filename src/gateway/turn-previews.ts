import type { TurnId } from '../base/ids.ts';
import { callLine } from '../model/call-words.ts';
import type { Channel, Preview } from '../model/channel.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { WaitingTurn } from '../model/store.ts';
import type { StepEvent, TurnEntry, TurnRef } from '../model/turn.ts';
import { waitingForPerson } from './describe-wait.ts';
import { replyAt } from './reply-target.ts';

/** What is seen of a running turn: its reply so far, and what is being done. */
interface Shown {
  readonly text: string;
  readonly status: string;
}

type Over = Extract<Preview, { readonly type: 'over' }>;

interface ShownTurn extends Shown {
  readonly turnId: TurnId;
  readonly replyTo?: string;
}

export interface PreviewDeps {
  /** Whether an earlier message has yet to arrive: what is shown now would stand above it for good. */
  readonly isHeldUp: (address: Address) => boolean;
  readonly channelFor: (address: Address) => Channel | undefined;
  readonly signal: AbortSignal;
}

const longestStatus = 100;
const nothing: Shown = { text: '', status: '' };

/**
 * Shows turns on their channels while they run. Nothing waits for it, and nothing of it is kept. Where a turn begins before
 * the reply of the one before it has arrived, it is seen from then on.
 */
export class TurnPreviews {
  readonly #deps: PreviewDeps;
  /** By address: the turn that was begun last there. */
  readonly #shown = new Map<string, ShownTurn>();
  /** By address: the turns that are shown, or are to be, and are not over. */
  readonly #open = new Map<string, Set<TurnId>>();
  /** Those that are settled and have no reply; all others have one, or get it when they go on. */
  readonly #unanswered = new Set<TurnId>();

  constructor(deps: PreviewDeps) {
    this.#deps = deps;
  }

  show(address: Address, { turnId, replyTo }: WaitingTurn, event: StepEvent): void {
    const key = addressKey(address);
    if (isEndWithoutReply(event)) this.#unanswered.add(turnId);
    const last = this.#shown.get(key);
    const before = last?.turnId === turnId ? last : undefined;
    const next = previewEvent(before ?? nothing, event);
    if (next === before) return;
    this.#shown.set(key, { turnId, text: next.text, status: next.status, ...replyAt(address, replyTo) });
    this.#open.set(key, (this.#open.get(key) ?? new Set()).add(turnId));
    this.#display(address);
  }

  /** The turn is over, and its reply has been sent if it could be; or it was put off, and goes on later. */
  end(address: Address, { turnId }: TurnRef): void {
    const reply = this.#unanswered.delete(turnId) ? 'none' : 'sent-or-to-come';
    if (this.#open.get(addressKey(address))?.has(turnId) === true) void this.#takeOff(address, turnId, reply);
  }

  async #takeOff(address: Address, turnId: TurnId, reply: Over['reply']): Promise<void> {
    const key = addressKey(address);
    if (this.#shown.get(key)?.turnId === turnId) this.#shown.delete(key);
    await this.#deps.channelFor(address)?.preview({ type: 'over', address, reply }, this.#deps.signal);
    this.#close(key, turnId);
    this.#display(address);
  }

  #close(key: string, turnId: TurnId): void {
    const open = this.#open.get(key);
    open?.delete(turnId);
    if (open?.size === 0) this.#open.delete(key);
  }

  #display(address: Address): void {
    const key = addressKey(address);
    const shown = this.#shown.get(key);
    if (shown === undefined || this.#deps.isHeldUp(address)) return;
    // The end of the one before it would take this one off the screen, and with it a reply that has taken its place.
    if (this.#open.get(key)?.size !== 1) return;
    const { turnId: _turn, ...seen } = shown;
    void this.#deps.channelFor(address)?.preview({ type: 'working', address, ...seen }, this.#deps.signal);
  }
}

function isEndWithoutReply(event: StepEvent): boolean {
  return (
    event.type === 'entry' && event.logged.entry.type === 'turn.settled' && event.logged.entry.result.type !== 'replied'
  );
}

/** What is seen after an event; the very same where nothing changes. Pure. */
export function previewEvent(shown: Shown, event: StepEvent): Shown {
  switch (event.type) {
    case 'text.delta':
      return { text: shown.text + event.text, status: '' };
    case 'reasoning.delta':
      return withStatus(shown, shown.text === '' ? 'thinking' : shown.status);
    case 'call.begun':
      return withStatus(shown, event.name);
    case 'notice':
      return withStatus(shown, event.text);
    case 'status':
      return withStatus(shown, event.text);
    case 'waiting':
      return event.wait.type === 'person' ? withStatus(shown, waitingForPerson) : shown;
    case 'tool.progress':
      return shown;
    case 'entry':
      return showEntry(shown, event.logged.entry);
  }
}

function showEntry(shown: Shown, entry: TurnEntry): Shown {
  // What was said before a tool ran is no part of the reply.
  if (entry.type === 'step.asked') return nothing;
  if (entry.type === 'approval.asked') return withStatus(shown, waitingForPerson);
  if (entry.type === 'tool.called') return withStatus(shown, callLine(entry.call, longestStatus));
  return entry.type === 'approval.answered' || entry.type === 'tool.settled' ? withStatus(shown, '') : shown;
}

function withStatus(shown: Shown, status: string): Shown {
  return shown.status === status ? shown : { ...shown, status };
}
