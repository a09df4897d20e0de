import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { textPart } from '../../src/model/message.ts';
import type { AssistantMessage, Message, Reasoning, ToolOutcome } from '../../src/model/message.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import { prepareAnthropicMessages } from '../../src/providers/anthropic-messages-request.ts';
import type { AnthropicBody, Block } from '../../src/providers/anthropic-messages-wire.ts';
import { fiveMinutes, readFile, withoutMarkers } from './anthropic-setup.ts';
import { callId, requestOf } from './chat-setup.ts';

test('each request of a growing conversation begins with all of the one before, markers aside', () => {
  fc.assert(
    fc.property(fc.array(turns, { minLength: 1, maxLength: 4 }), anyText, (conversation, system) => {
      const bodies = requestsOf(conversation.flat()).map((request) =>
        prepareAnthropicMessages({ ...request, system }, { ...fiveMinutes, diagnostics: 'asked-for' }),
      );
      for (const [index, body] of bodies.entries()) {
        assertValid(body);
        if (index > 0) assertExtends(withoutMarkers(body), withoutMarkers(bodies[index - 1] ?? ''));
      }
    }),
    { numRuns: 300, seed: 20_26 },
  );
});

test('whatever messages are given, in whatever order, the request is one that the API takes', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 12 }), fc.boolean(), (messages, hasSystem) => {
      assertValid(prepareAnthropicMessages(requestOf({ system: hasSystem ? 'be brief' : '', messages }), fiveMinutes));
    }),
    { numRuns: 300, seed: 20_26 },
  );
});

/** What happens in a turn, in order: something is added to the conversation, or the model is asked. */
type Happening =
  | { readonly type: 'added'; readonly messages: readonly Message[] }
  | { readonly type: 'asked'; readonly how: Partial<ModelRequest> };

/** The requests that a model gets while things happen. One that fails is followed by another with the same messages. */
function requestsOf(happenings: readonly Happening[]): readonly ModelRequest[] {
  const messages: Message[] = [];
  const requests: ModelRequest[] = [];
  for (const happening of happenings) {
    if (happening.type === 'added') messages.push(...happening.messages);
    else requests.push(requestOf({ ...happening.how, tools: [readFile], messages: [...messages] }));
  }
  return requests;
}

function assertExtends(later: string, earlier: string): void {
  // The counts and choices that may change come behind the messages. No text contains an unescaped quote.
  const end = earlier.lastIndexOf(']}],"max_tokens":');
  assert.notEqual(end, -1);
  assert.equal(later.slice(0, end), earlier.slice(0, end));
}

function assertValid(body: string): void {
  const { system = [], messages } = JSON.parse(body) as AnthropicBody;
  const blocks: readonly Block[] = [...system, ...messages.flatMap(({ content }) => content)];
  assert.equal(body.isWellFormed(), true);
  assert.ok(blocks.filter((block) => 'cache_control' in block).length <= 4);
  for (const block of blocks) if (block.type === 'text') assert.notEqual(block.text.trim(), '');
  for (const [index, { role, content }] of messages.entries()) {
    assert.equal(role, index % 2 === 0 ? 'user' : 'assistant');
    assert.notEqual(content.length, 0);
    if (role === 'assistant') assert.doesNotMatch(content.at(-1)?.type ?? '', /thinking/);
    assert.deepEqual(
      usesIn(messages[index - 1]?.content ?? []).toSorted(byText),
      leadingResults(content).toSorted(byText),
    );
  }
  const uses = messages.flatMap(({ content }) => usesIn(content));
  assert.equal(new Set(uses).size, uses.length);
  for (const id of uses) assert.match(id, /^[A-Za-z0-9_-]+$/);
}

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}

function usesIn(content: readonly Block[]): readonly string[] {
  return content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

/** The results that the API sees: those before anything else, and there may be none behind that. */
function leadingResults(content: readonly Block[]): readonly string[] {
  const end = content.findIndex((block) => block.type !== 'tool_result');
  const leading = end === -1 ? content : content.slice(0, end);
  assert.equal(content.filter((block) => block.type === 'tool_result').length, leading.length);
  return leading.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' \n', '\ud800', '"]}],"max_tokens":1', ',"cache_control":{"type":"ephemeral"}'),
);
const parts = fc.array(anyText.map(textPart), { maxLength: 3 });
const ids = fc.oneof(fc.constantFrom('call_0', 'functions.read:0', '', 'toolu_1'), fc.string()).map(callId);
// An id may come twice, in one answer as in two: other vendors do that.
const calls = fc.array(
  fc.record({
    id: ids,
    name: fc.constant('read_file'),
    arguments: fc.oneof(anyText, fc.json(), fc.constant('{"a":"\\ud800"}')),
  }),
  { maxLength: 4 },
);
const reasoning: fc.Arbitrary<Reasoning> = fc.record({
  vendor: fc.constantFrom('anthropic', 'another'),
  text: fc.string(),
  items: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('thinking'), thinking: anyText, signature: fc.string() }),
      fc.record({ type: fc.constant('redacted_thinking'), data: fc.string() }),
      fc.constantFrom({ type: 'text' }, { type: 'tool_use' }, { type: 'reasoning' }, null),
    ),
    { maxLength: 6 },
  ),
});
const answers: fc.Arbitrary<AssistantMessage> = fc
  .record({ parts, calls, reasoning: fc.option(reasoning, { nil: undefined }) })
  .map(({ reasoning: thoughts, ...rest }) => ({
    role: 'assistant',
    ...rest,
    ...(thoughts === undefined ? {} : { reasoning: thoughts }),
  }));
const outcomes: fc.Arbitrary<ToolOutcome> = fc.oneof(
  fc.record({ type: fc.constant('done' as const), parts }),
  fc.record({ type: fc.constant('refused' as const), reason: anyText }),
  fc.record({ type: fc.constant('failed' as const), message: anyText }),
  fc.record({ type: fc.constant('interrupted' as const) }),
  fc.record({ type: fc.constant('unknown' as const), lastSeen: anyText }),
);
const steering = fc.array(anyText, { maxLength: 2 });
const userMessages: fc.Arbitrary<Message> = fc.record({ role: fc.constant('user' as const), parts });

// A request may differ from the last one in all of these, and fail, without touching what was said.
const asks: fc.Arbitrary<Happening> = fc
  .record({
    effort: fc.constantFrom(undefined, 'low' as const, 'high' as const),
    maxOutputTokens: fc.constantFrom(undefined, 500, 8192),
    toolUse: fc.constantFrom('allowed' as const, 'forbidden' as const),
    lastAnswerId: fc.constantFrom('', 'msg_1', 'msg_2', 'resp_1'),
  })
  .map((how) => ({ type: 'asked', how }));

/** An answer and what follows from it: each call has its result, and the user may say something at any time. */
const steps: fc.Arbitrary<readonly Happening[]> = fc
  .record({
    tries: fc.array(asks, { minLength: 1, maxLength: 2 }),
    answer: answers,
    settled: fc.array(fc.record({ outcome: outcomes, steering }), { minLength: 4, maxLength: 4 }),
    steered: fc.array(userMessages, { maxLength: 1 }),
  })
  .map(({ tries, answer, settled, steered }) => {
    const results = answer.calls.map((call, place): Message => {
      const { outcome, steering: words } = settled[place] ?? { outcome: { type: 'interrupted' }, steering: [] };
      return { role: 'tool', callId: call.id, outcome, steering: words };
    });
    return [...tries, { type: 'added', messages: [answer, ...results, ...steered] }];
  });

const turns: fc.Arbitrary<readonly Happening[]> = fc
  .tuple(userMessages, fc.array(steps, { minLength: 1, maxLength: 4 }), asks)
  .map(([message, rounds, last]) => [{ type: 'added', messages: [message] }, ...rounds.flat(), last]);

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  userMessages,
  answers,
  fc.record({ role: fc.constant('tool' as const), callId: ids, outcome: outcomes, steering }),
);
