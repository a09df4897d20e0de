import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';

/** A call as far as it has arrived. */
export interface GatheredCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Fields of the vendor's own that have to come back with the call. */
  readonly fields: JsonObject | undefined;
}

export type CallNews =
  | { readonly type: 'nothing' }
  | { readonly type: 'begun'; readonly name: string }
  | { readonly type: 'bad'; readonly problem: string };

export const mostCalls = 128;
export const longestArguments = 10_000_000;

interface Slot {
  id: string;
  name: string;
  arguments: string;
  fields: JsonObject | undefined;
}

/**
 * Puts the pieces of tool calls together. Pieces of several calls may come interleaved; an index that comes back with
 * another id is another call, because some servers number every call 0.
 */
export class CallSlots {
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();

  take(delta: Json): CallNews {
    if (!isJsonObject(delta)) return { type: 'bad', problem: 'a piece of a tool call is not an object' };
    const spoken = isJsonObject(delta['function']) ? delta['function'] : {};
    const name = textOf(spoken['name']);
    const slot = this.#slotOf(delta, name);
    if (this.#slots.length > mostCalls) return { type: 'bad', problem: `more than ${mostCalls} tool calls` };
    slot.arguments += argumentsOf(spoken);
    if (delta['extra_content'] !== undefined) slot.fields = { extra_content: delta['extra_content'] };
    if (slot.arguments.length > longestArguments) {
      return { type: 'bad', problem: `the arguments of a tool call are longer than ${longestArguments} characters` };
    }
    const isBegun = slot.name !== '';
    if (name !== '') slot.name = name;
    return isBegun || name === '' ? { type: 'nothing' } : { type: 'begun', name };
  }

  get calls(): readonly GatheredCall[] {
    return this.#slots;
  }

  #slotOf(delta: JsonObject, name: string): Slot {
    const id = textOf(delta['id']);
    const index = delta['index'];
    const current = typeof index === 'number' ? this.#numbered(index, id + name) : this.#unnumbered(id, name);
    if (current !== undefined && (id === '' || current.id === '' || current.id === id)) {
      if (id !== '') current.id = id;
      return current;
    }
    const slot = { id, name: '', arguments: '', fields: undefined };
    this.#slots.push(slot);
    if (typeof index === 'number') this.#byIndex.set(index, slot);
    return slot;
  }

  /** A call that began without an index may be gone on with by its place; only a nameless piece can mean that. */
  #numbered(index: number, named: string): Slot | undefined {
    const known = this.#byIndex.get(index);
    return known ?? (named === '' && this.#byIndex.size === 0 ? this.#slots[index] : undefined);
  }

  /** Without an index a piece belongs to the call with its id, or else to the last one, unless it names a new call. */
  #unnumbered(id: string, name: string): Slot | undefined {
    if (id !== '') return this.#slots.find((slot) => slot.id === id);
    const last = this.#slots.at(-1);
    return name !== '' && last?.name !== '' ? undefined : last;
  }
}

/** Whether arguments are a whole object: then nothing can be missing from them. */
export function areComplete(argumentsText: string): boolean {
  return isJsonObject(parseJson(argumentsText));
}

function argumentsOf(spoken: JsonObject): string {
  const value = spoken['arguments'];
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
