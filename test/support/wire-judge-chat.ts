import assert from 'node:assert/strict';
import { isJsonObject } from '../../src/base/json.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { assertArguments, assertTools, headOf, objectsOf, textOf, wordsOf } from './wire-judge-parts.ts';
import type { WirePrefix } from './wire-judge-parts.ts';

const mostMarkers = 4;

/** Chat Completions: the system speaks first, and right behind the calls of an answer stand their results, in order. */
export function judgeChat(body: JsonObject): WirePrefix {
  const marked = objectsOf(body['messages'], 'the list of messages');
  const parts = marked.flatMap(({ content }) => (Array.isArray(content) ? objectsOf(content, 'a list of parts') : []));
  assert.ok(parts.filter((part) => 'cache_control' in part).length <= mostMarkers, 'too many markers');
  for (const part of parts) if (part['type'] === 'text') wordsOf(part['text'], 'a part');
  const messages = marked.map(unmarked);
  const [system, first] = messages;
  assert.equal(system?.['role'], 'system');
  assert.equal(first?.['role'], 'user');
  if (body['tools'] !== undefined)
    assertTools(objectsOf(body['tools'], 'the list of tools').map(functionOf), 'parameters');
  else assert.equal(body['tool_choice'], undefined, 'tools are chosen among none');
  assertPairs(messages);
  for (const message of messages) assertMessage(message);
  assert.notEqual(messages.at(-1)?.['role'], 'assistant', 'the model is to answer itself');
  return {
    head: JSON.stringify(headOf(body, ['model', 'tools'])),
    items: messages.map((message) => JSON.stringify(message)),
  };
}

function unmarked(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  return {
    ...message,
    content: objectsOf(content, 'a list of parts').map(({ cache_control: _marker, ...part }) => part),
  };
}

/** What a message says, as one text or as a list of parts. */
function contentOf({ content }: JsonObject): Json | undefined {
  if (!Array.isArray(content)) return content;
  return objectsOf(content, 'a list of parts')
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');
}

function functionOf(wrapped: JsonObject): JsonObject {
  assert.equal(wrapped['type'], 'function');
  assert.ok(isJsonObject(wrapped['function']));
  return wrapped['function'];
}

function assertMessage(message: JsonObject): void {
  switch (textOf(message['role'], 'a role')) {
    case 'system':
    case 'user':
      wordsOf(contentOf(message), 'what the system or the user says');
      return;
    case 'tool':
      textOf(contentOf(message), 'a result');
      return;
    case 'assistant':
      assertAnswer(message);
      return;
    default:
      assert.fail('a message of an unknown role');
  }
}

/** An answer says something or calls something; several vendors refuse one that does neither. */
function assertAnswer(message: JsonObject): void {
  if (message['tool_calls'] === undefined) {
    wordsOf(contentOf(message), 'an answer without calls');
    return;
  }
  const calls = callsOf(message);
  assert.notEqual(calls.length, 0, 'an empty list of calls');
  if (message['content'] !== null) assert.notEqual(textOf(contentOf(message), 'what stands before calls'), '');
  for (const call of calls) {
    const { name, arguments: written } = functionOf(call);
    wordsOf(name, 'the name of a called tool');
    assertArguments(written);
  }
}

function callsOf(message: JsonObject | undefined): readonly JsonObject[] {
  const calls = message?.['tool_calls'];
  return calls === undefined ? [] : objectsOf(calls, 'the list of calls');
}

/** Every call is answered before anything else is said, and nothing else is. */
function assertPairs(messages: readonly JsonObject[]): void {
  const waiting: string[] = [];
  const seen = new Set<string>();
  for (const message of messages) {
    if (message['role'] === 'tool') {
      assert.equal(message['tool_call_id'], waiting.shift(), 'a result that does not belong there');
      continue;
    }
    assert.equal(waiting.length, 0, 'calls without a result');
    for (const call of callsOf(message)) {
      const id = wordsOf(call['id'], 'the id of a call');
      assert.ok(!seen.has(id), `the id ${id} comes twice`);
      seen.add(id);
      waiting.push(id);
    }
  }
  assert.equal(waiting.length, 0, 'calls without a result');
}
