import assert from 'node:assert/strict';
import { isJsonObject, parseJson } from '../../src/base/json.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';

/** What a server can keep ready of a request: what stands before the conversation, and the conversation piece by piece. */
export interface WirePrefix {
  readonly head: string;
  readonly items: readonly string[];
}

/** A list of objects, as it must be. */
export function objectsOf(value: Json | undefined, what: string): readonly JsonObject[] {
  assert.ok(Array.isArray(value), `${what} is no list`);
  const list = value as readonly Json[];
  for (const each of list) assert.ok(isJsonObject(each), `${what} has something in it that is no object`);
  return list as readonly JsonObject[];
}

export function textOf(value: Json | undefined, what: string): string {
  assert.equal(typeof value, 'string', `${what} is no text`);
  return value as string;
}

/** A text in which there is something to read. */
export function wordsOf(value: Json | undefined, what: string): string {
  const text = textOf(value, what);
  assert.notEqual(text.trim(), '', `${what} is blank`);
  return text;
}

/** Servers parse the arguments of past calls, and refuse the whole request over one that is not an object. */
export function assertArguments(value: Json | undefined): void {
  assert.ok(isJsonObject(parseJson(textOf(value, 'the arguments of a call'))), 'the arguments of a call are no object');
}

/** No two tools of a name, and each described. */
export function assertTools(tools: readonly JsonObject[], schemaField: string): void {
  const names = tools.map((tool) => wordsOf(tool['name'], 'the name of a tool'));
  assert.equal(new Set(names).size, names.length, 'two tools have the same name');
  for (const tool of tools) assert.ok(isJsonObject(tool[schemaField]), 'a tool has no schema');
}

/** The fields of a body that servers read before the conversation, in the order in which they came. */
export function headOf(body: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
}
