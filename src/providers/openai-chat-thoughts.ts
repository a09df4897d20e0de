import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { AssistantMessage, Reasoning } from '../model/message.ts';
import { GrowingText } from './growing-text.ts';

/** What a vendor wants back of what its model thought before it called a tool. */
export type ThoughtForm =
  | 'nothing'
  /** The field `reasoning_content` of the answers that had one. */
  | 'content'
  /** The same, and a past call without it is refused, whoever made that call. */
  | 'demanded-content'
  /** The list `reasoning_details`. */
  | 'details'
  /** Fields of the calls themselves. */
  | 'call-fields';

// Stands for the thoughts behind a call that came with none: the field is demanded, and an empty one counts as missing.
const noThought = ' ';

/** Gathers the thoughts of one streamed answer: to be shown, and in the form in which they have to go back. */
export class ChatThoughts {
  readonly #form: ThoughtForm;
  readonly #text = new GrowingText();
  readonly #details = new Map<string, Record<string, Json>>();

  constructor(form: ThoughtForm) {
    this.#form = form;
  }

  /** Takes what a delta has of them and returns what can be shown now. */
  take(delta: JsonObject): string {
    const detailed = objectsIn(delta['reasoning_details']).map((detail) => this.#takeDetail(detail));
    return this.#text.add(textOf(delta['reasoning_content']) || textOf(delta['reasoning']) || detailed.join(''));
  }

  /** What is kept of them with an answer whose calls came with these fields of their own. */
  keep(vendor: string, callFields: readonly (JsonObject | undefined)[]): Reasoning | undefined {
    const items = this.#items(callFields);
    return items.length === 0 ? undefined : { vendor, text: this.#text.whole, items };
  }

  #items(callFields: readonly (JsonObject | undefined)[]): readonly Json[] {
    switch (this.#form) {
      case 'nothing':
        return [];
      case 'content':
      case 'demanded-content':
        return this.#text.whole === '' ? [] : [{ reasoning_content: this.#text.whole }];
      case 'details':
        return this.#details.size === 0 ? [] : [{ reasoning_details: [...this.#details.values()] }];
      case 'call-fields':
        return callFields.flatMap((fields, call) => (fields === undefined ? [] : [{ call, fields }]));
    }
  }

  /** Pieces of one detail have its index in common. Returns what the piece adds to its text. */
  #takeDetail(detail: JsonObject): string {
    const key = JSON.stringify([detail['index'] ?? null, detail['type'] ?? null]);
    const known = this.#details.get(key) ?? {};
    const before = shownOf(known);
    for (const [name, value] of Object.entries(detail)) {
      const whole = known[name];
      const isGrowing = growingFields.has(name) && typeof whole === 'string' && typeof value === 'string';
      if (isGrowing) known[name] = join(whole, value);
      else if (value !== null || whole === undefined) known[name] = value;
    }
    this.#details.set(key, known);
    return shownOf(known).slice(before.length);
  }
}

/** The fields that a past answer and its calls get, so that the vendor finds its thoughts again. Pure. */
export function wireThoughts(message: AssistantMessage, form: ThoughtForm, vendor: string): WiredThoughts {
  const items = message.reasoning?.vendor === vendor ? message.reasoning.items.filter(isJsonObject) : [];
  return { fields: messageFields(message, form, items), callFields: callFieldsIn(form, items) };
}

export interface WiredThoughts {
  readonly fields: JsonObject;
  /** By the place of the call; empty where the answer came without any. */
  readonly callFields: ReadonlyMap<number, JsonObject>;
}

function messageFields(message: AssistantMessage, form: ThoughtForm, items: readonly JsonObject[]): JsonObject {
  if (form === 'nothing' || form === 'call-fields') return {};
  const field = form === 'details' ? 'reasoning_details' : 'reasoning_content';
  const kept = items.map((item) => item[field]).find((value) => value !== undefined);
  if (kept !== undefined) return { [field]: kept };
  return form === 'demanded-content' && message.calls.length > 0 ? { [field]: noThought } : {};
}

function callFieldsIn(form: ThoughtForm, items: readonly JsonObject[]): ReadonlyMap<number, JsonObject> {
  if (form !== 'call-fields') return new Map();
  return new Map(
    items.flatMap(({ call, fields }): [number, JsonObject][] =>
      typeof call === 'number' && isJsonObject(fields) ? [[call, fields]] : [],
    ),
  );
}

const growingFields: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

// MiniMax documents pieces that repeat all of the text so far, and sends pieces that do not.
function join(whole: string, piece: string): string {
  return piece.length > whole.length && piece.startsWith(whole) ? piece : whole + piece;
}

function shownOf(detail: JsonObject): string {
  return textOf(detail['text']) || textOf(detail['summary']);
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
