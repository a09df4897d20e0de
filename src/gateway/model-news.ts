import { basename } from 'node:path';
import { addressKey } from '../model/session.ts';
import type { Address, Session } from '../model/session.ts';
import type { RuntimeName } from '../model/runtime.ts';

interface FileSettings {
  /** Another object whenever they have changed. */
  readonly current: { readonly path: string };
}

/** Which model a chat was last told of, or answered by. */
interface Known {
  readonly model: RuntimeName;
  /** What was chosen for the session; undefined: as configured. */
  readonly choice: string | undefined;
  readonly settings: unknown;
}

const mostChats = 1000;

/**
 * Knows which model answers in which chat, so that an edit of the settings file does not change it unsaid. What a person
 * chooses with a command is no news to them. It is for people alone: no prompt and no conversation has it.
 */
export class ModelNews {
  readonly #settings: FileSettings;
  /** By address; the one that was told longest ago first. */
  readonly #known = new Map<string, Known>();

  constructor(settings: FileSettings) {
    this.#settings = settings;
  }

  /** Whoever is there knows that this model answers. */
  note(address: Address, model: RuntimeName, choice: string | undefined): void {
    const key = addressKey(address);
    this.#known.delete(key);
    this.#known.set(key, { model, choice, settings: this.#settings.current });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostChats && oldest !== undefined) this.#known.delete(oldest);
  }

  /** What a chat should know before this model answers a turn there; undefined where it knows. */
  look({ address, settings }: Session, model: RuntimeName): string | undefined {
    const known = this.#known.get(addressKey(address));
    this.note(address, model, settings.model);
    if (known === undefined || known.model === model || known.choice !== settings.model) return undefined;
    const { current } = this.#settings;
    return known.settings === current ? undefined : `model is now ${model} (${basename(current.path)} changed)`;
  }
}
