import assert from 'node:assert/strict';
import { isJsonObject } from '../../src/base/json.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { assertTools, headOf, objectsOf, textOf, wordsOf } from './wire-judge-parts.ts';
import type { WirePrefix } from './wire-judge-parts.ts';

const mostMarkers = 4;

/** Messages: the roles take turns, the results of an answer open the next message, and at most four markers stand in it. */
export function judgeAnthropic(body: JsonObject): WirePrefix {
  const system = objectsOf(body['system'], 'the system prompt');
  const messages = objectsOf(body['messages'], 'the list of messages').map(readMessage);
  if (body['tools'] !== undefined) assertTools(objectsOf(body['tools'], 'the list of tools'), 'input_schema');
  else assert.equal(body['tool_choice'], undefined, 'tools are chosen among none');
  const blocks = [...system, ...messages.flatMap(({ content }) => content)];
  assert.ok(blocks.filter((block) => 'cache_control' in block).length <= mostMarkers, 'too many markers');
  for (const block of blocks) assertBlock(block);
  for (const [place, message] of messages.entries()) assertPlace(message, messages[place - 1], place);
  assert.equal(messages.at(-1)?.role, 'user', 'the model is to answer itself');
  assertUses(messages);
  assertThinking(body, messages);
  return {
    head: JSON.stringify({ ...headOf(body, ['model', 'tools', 'system']), system: system.map(unmarked) }),
    items: messages.flatMap(({ role, content }) =>
      content.map((block) => `${role} ${JSON.stringify(unmarked(block))}`),
    ),
  };
}

interface WireMessage {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

function readMessage({ role, content, ...rest }: JsonObject): WireMessage {
  assert.deepEqual(rest, {});
  return { role: textOf(role, 'a role'), content: objectsOf(content, 'the content of a message') };
}

function unmarked({ cache_control: _marker, ...block }: JsonObject): JsonObject {
  return block;
}

function assertBlock(block: JsonObject): void {
  switch (textOf(block['type'], 'the type of a block')) {
    case 'text':
      wordsOf(block['text'], 'a text');
      return;
    case 'tool_use':
      assert.match(textOf(block['id'], 'the id of a use'), /^[A-Za-z0-9_-]{1,64}$/);
      wordsOf(block['name'], 'the name of a used tool');
      assert.ok(isJsonObject(block['input']), 'the input of a use is no object');
      return;
    case 'tool_result':
      if (block['content'] !== undefined) wordsOf(block['content'], 'a result');
      return;
    case 'thinking':
      assert.equal(block['cache_control'], undefined, 'a thought is marked');
      wordsOf(block['signature'], 'the signature of a thought');
      return;
    default:
      assert.fail('a block of an unknown type');
  }
}

function assertPlace({ role, content }: WireMessage, before: WireMessage | undefined, place: number): void {
  assert.equal(role, place % 2 === 0 ? 'user' : 'assistant', 'the roles do not take turns');
  assert.notEqual(content.length, 0, 'an empty message');
  if (role === 'assistant') assert.notEqual(content.at(-1)?.['type'], 'thinking', 'an answer ends in a thought');
  const uses = (before?.content ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  const results = content.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => id);
  assert.deepEqual(results, uses, 'uses and results do not belong together');
  const isFirst = content.slice(0, results.length).every(({ type }) => type === 'tool_result');
  assert.ok(isFirst, 'a result stands behind something else');
}

function assertUses(messages: readonly WireMessage[]): void {
  const uses = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  assert.equal(new Set(uses).size, uses.length, 'the id of a use comes twice');
}

/** With a budget for thinking, the loop of calls under way must have begun with a thought, and the answer needs room. */
function assertThinking(body: JsonObject, messages: readonly WireMessage[]): void {
  const { thinking, max_tokens: room } = body;
  assert.equal(typeof room, 'number');
  if (!isJsonObject(thinking) || thinking['type'] !== 'enabled') return;
  assert.ok(Number(thinking['budget_tokens']) >= 1024 && Number(room) > Number(thinking['budget_tokens']));
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content[0]?.['type'] !== 'tool_result',
  );
  const first = messages[asked + 1]?.content[0];
  if (first !== undefined) assert.equal(first['type'], 'thinking', 'thinking begins inside a loop of calls');
}
