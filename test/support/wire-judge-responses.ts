import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/base/json.ts';
import { assertArguments, assertTools, headOf, objectsOf, textOf, wordsOf } from './wire-judge-parts.ts';
import type { WirePrefix } from './wire-judge-parts.ts';

/** Responses: calls have their outputs before the next message, and no reasoning stands without what it led to. */
export function judgeResponses(body: JsonObject): WirePrefix {
  const items = objectsOf(body['input'], 'the input');
  assert.equal(body['store'], false);
  wordsOf(body['instructions'], 'the instructions');
  if (body['tools'] !== undefined) assertTools(objectsOf(body['tools'], 'the list of tools'), 'parameters');
  else assert.equal(body['tool_choice'], undefined, 'tools are chosen among none');
  for (const [place, item] of items.entries()) assertItem(item, items[place + 1]);
  assertPairs(items);
  assert.equal(items[0]?.['role'], 'user');
  assert.notEqual(items.at(-1)?.['role'], 'assistant', 'the model is to answer itself');
  return {
    head: JSON.stringify(headOf(body, ['model', 'instructions', 'tools'])),
    items: items.map((item) => JSON.stringify(item)),
  };
}

function assertItem(item: JsonObject, next: JsonObject | undefined): void {
  switch (textOf(item['type'], 'the type of an item')) {
    case 'message':
      assertMessage(item);
      return;
    case 'function_call':
      wordsOf(item['name'], 'the name of a called tool');
      assertArguments(item['arguments']);
      return;
    case 'function_call_output':
      textOf(item['output'], 'an output');
      return;
    case 'reasoning':
      assertReasoning(item, next);
      return;
    default:
      assert.fail('an item of an unknown type');
  }
}

function assertMessage({ role, content }: JsonObject): void {
  const [part, ...more] = objectsOf(content, 'the content of a message');
  assert.equal(more.length, 0);
  assert.ok(role === 'user' || role === 'assistant', 'a message of nobody');
  assert.equal(part?.['type'], role === 'user' ? 'input_text' : 'output_text');
  if (role === 'user') wordsOf(part?.['text'], 'what the user says');
  else textOf(part?.['text'], 'what the model says');
}

/** Nothing is stored at the vendor: reasoning carries its content and no id, and what it led to stands right behind it. */
function assertReasoning(item: JsonObject, next: JsonObject | undefined): void {
  assert.equal(item['id'], undefined, 'reasoning by an id that finds nothing');
  wordsOf(item['encrypted_content'], 'the content of reasoning');
  const isFollowed =
    next?.['type'] === 'reasoning' || next?.['type'] === 'function_call' || next?.['role'] === 'assistant';
  assert.ok(isFollowed, 'reasoning that led to nothing');
}

function assertPairs(items: readonly JsonObject[]): void {
  const waiting: string[] = [];
  const seen = new Set<string>();
  for (const { type, role, call_id: id } of items) {
    if (type === 'function_call') {
      const written = textOf(id, 'the id of a call');
      assert.match(written, /^\S{1,64}$/);
      assert.ok(!seen.has(written), `the id ${written} comes twice`);
      seen.add(written);
      waiting.push(written);
    }
    if (type === 'function_call_output') assert.equal(id, waiting.shift(), 'an output that does not belong there');
    if (role === 'user') assert.equal(waiting.length, 0, 'calls without an output');
  }
  assert.equal(waiting.length, 0, 'calls without an output');
}
