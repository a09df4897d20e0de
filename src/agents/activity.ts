import type { Clock } from '../base/clock.ts';
import { underlyingCall } from '../model/bridged-call.ts';
import type { StepEvent, TurnEntry } from '../model/turn.ts';

/** What an agent did last. The idle sweep and the watchdog go by the same time. */
export interface ActivityReport {
  /** By the monotonic clock; undefined before the first turn. */
  readonly at: number | undefined;
  readonly description: string;
  /** Calls of a model in the newest turn. */
  readonly apiCalls: number;
}

/**
 * When something last stirred in an agent. What answers stirs it: a model, a tool, a person. What the program does by
 * itself does not, so that a turn which only ever begins anew cannot pass for one that gets on.
 */
export class Activity {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #at: number | undefined;
  #description = 'not used yet';
  #apiCalls = 0;
  #openQuestions = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get report(): ActivityReport {
    // Whoever waits for a person is not stuck, however long that takes.
    const at = this.#openQuestions > 0 ? this.#clock.monotonic() : this.#at;
    return { at, description: this.#description, apiCalls: this.#apiCalls };
  }

  /** A turn that was entered by interrupting another goes on with the clock of that one. */
  beginTurn(interruptDepth: number): void {
    this.#apiCalls = 0;
    if (interruptDepth === 0 || this.#at === undefined) this.#stir('starting new turn (cached)');
  }

  take(event: StepEvent): void {
    if (event.type === 'entry' && isApiCall(event.logged.entry)) this.#apiCalls += 1;
    const stirred = describeStir(event);
    if (stirred !== undefined) this.#stir(stirred);
  }

  async whileAsking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#openQuestions += 1;
    try {
      return await ask();
    } finally {
      this.#openQuestions -= 1;
      this.#stir('a question was dealt with');
    }
  }

  #stir(description: string): void {
    this.#at = this.#clock.monotonic();
    this.#description = description;
  }
}

function isApiCall({ type }: TurnEntry): boolean {
  return type === 'step.asked' || type === 'compaction.asked';
}

/** What happened, in a few words for people; undefined for what is no sign of life. */
function describeStir(event: StepEvent): string | undefined {
  switch (event.type) {
    case 'entry':
      return describeEntry(event.logged.entry);
    case 'text.delta':
      return 'the model is answering';
    case 'reasoning.delta':
      return 'the model is thinking';
    case 'call.begun':
      return `the model is writing a call of ${event.name}`;
    case 'tool.progress':
      return 'a tool is getting on';
    case 'notice':
    case 'waiting':
    case 'status':
      return undefined;
  }
}

function describeEntry(entry: TurnEntry): string | undefined {
  if (entry.type === 'tool.called') return `running ${underlyingCall(entry.call).name}`;
  if (entry.type === 'tool.settled') return 'a tool ended';
  if (entry.type === 'step.finished') return 'the model answered';
  if (entry.type === 'step.failed') return 'a call of the model failed';
  return entry.type === 'context.compacted' ? 'the conversation was shortened' : undefined;
}
