import { underlyingCall } from '../model/bridged-call.ts';
import type { Channel } from '../model/channel.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { StepEvent, TurnEntry } from '../model/turn.ts';
import { waitingForPerson } from './describe-wait.ts';

/** What is seen of a running turn: its reply so far, and what is being done. */
interface Shown {
  readonly text: string;
  readonly status: string;
}

export interface PreviewDeps {
  /** Whether an earlier message has yet to arrive: what is shown now would stand above it for good. */
  readonly isHeldUp: (address: Address) => boolean;
  readonly channelFor: (address: Address) => Channel | undefined;
  readonly signal: AbortSignal;
}

const nothing: Shown = { text: '', status: '' };

/** Shows turns on their channels while they run. Nothing waits for it, and nothing of it is kept. */
export class TurnPreviews {
  readonly #deps: PreviewDeps;
  readonly #shown = new Map<string, Shown>();
  readonly #replied = new Set<string>();

  constructor(deps: PreviewDeps) {
    this.#deps = deps;
  }

  show(address: Address, event: StepEvent): void {
    const key = addressKey(address);
    if (isReply(event)) this.#replied.add(key);
    const before = this.#shown.get(key);
    const next = showEvent(before ?? nothing, event);
    if (next === before) return;
    this.#shown.set(key, next);
    if (this.#deps.isHeldUp(address)) return;
    void this.#deps.channelFor(address)?.preview({ type: 'working', address, ...next }, this.#deps.signal);
  }

  /** The turn is over, and its reply has been sent if it could be. */
  end(address: Address): void {
    const key = addressKey(address);
    const reply = this.#replied.delete(key) ? 'sent-or-queued' : 'none';
    if (!this.#shown.delete(key)) return;
    void this.#deps.channelFor(address)?.preview({ type: 'over', address, reply }, this.#deps.signal);
  }
}

function isReply(event: StepEvent): boolean {
  return (
    event.type === 'entry' && event.logged.entry.type === 'turn.settled' && event.logged.entry.result.type === 'replied'
  );
}

/** What is seen after an event; the very same where nothing changes. Pure. */
export function showEvent(shown: Shown, event: StepEvent): Shown {
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
  if (entry.type === 'tool.called') return withStatus(shown, underlyingCall(entry.call).name);
  return entry.type === 'approval.answered' || entry.type === 'tool.settled' ? withStatus(shown, '') : shown;
}

function withStatus(shown: Shown, status: string): Shown {
  return shown.status === status ? shown : { ...shown, status };
}
