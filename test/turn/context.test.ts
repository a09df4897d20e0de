import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { BlobId, CallId, PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { partsToText, textPart } from '../../src/model/message.ts';
import type { Message } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import type { LoggedEntry, TurnEntry } from '../../src/model/turn.ts';
import { Conversation } from '../../src/turn/conversation.ts';

const sessionId = 'ses_1' as SessionId;
const person = 'owner' as PersonId;
const asked: TurnEntry = {
  type: 'step.asked',
  runtime: 'demo:demo' as RuntimeName,
  prompt: '',
  messages: 0,
  digest: '',
};

const image = { type: 'image', blob: 'b1' as BlobId, mediaType: 'image/png', bytes: 99 } as const;

function admitted(text: string): TurnEntry {
  return { type: 'turn.admitted', parts: [textPart(text)], person };
}
function steered(text: string): TurnEntry {
  return { type: 'turn.steered', parts: [textPart(text)], person };
}
function steeredWithImage(text: string): TurnEntry {
  return { type: 'turn.steered', parts: [image, textPart(text)], person };
}
function heard(text: string, stands?: 'first'): TurnEntry {
  return { type: 'turn.nudged', cause: 'news', text, ...(stands && { stands }) };
}
function answered(text: string, ...ids: readonly string[]): TurnEntry {
  const calls = ids.map((id) => ({ id: id as CallId, name: 'read_file', arguments: '{}' }));
  return {
    type: 'step.finished',
    message: { role: 'assistant', parts: [textPart(text)], calls },
    finish: 'stop',
    usage: noUsage,
  };
}
function settled(id: string): TurnEntry {
  return {
    type: 'tool.settled',
    callId: id as CallId,
    outcome: { type: 'done', parts: [textPart(`result of ${id}`)] },
  };
}

/** A log of one session from (turn, entry) pairs, numbered in order. */
function logOf(pairs: readonly (readonly [string, TurnEntry])[]): readonly LoggedEntry[] {
  return pairs.map(([turn, entry], index) => ({ sessionId, turnId: turn as TurnId, seq: index + 1, at: 0, entry }));
}

function messagesOf(turn: string, pairs: readonly (readonly [string, TurnEntry])[]): readonly Message[] {
  const conversation = new Conversation(sessionId);
  conversation.take(logOf(pairs));
  return conversation.messagesFor(turn as TurnId);
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === 'user' ? [partsToText(message.parts)] : []));
}

test('a queued message is not shown to the turn that runs before it', () => {
  const log: readonly (readonly [string, TurnEntry])[] = [
    ['a', admitted('first')],
    ['a', asked],
    ['a', answered('', 'c1')],
    ['b', admitted('second')],
    ['a', settled('c1')],
  ];

  assert.deepEqual(
    messagesOf('a', log).map((message) => message.role),
    ['user', 'assistant', 'tool'],
  );
  assert.deepEqual(
    messagesOf('b', log).map((message) => message.role),
    ['user', 'assistant', 'tool', 'user'],
  );
});

test('steering reaches the model with the next tool result', () => {
  const messages = messagesOf('a', [
    ['a', admitted('go')],
    ['a', asked],
    ['a', answered('', 'c1', 'c2')],
    ['a', settled('c1')],
    ['a', steered('faster')],
    ['a', settled('c2')],
  ]);

  assert.deepEqual(
    messages.map((message) => (message.role === 'tool' ? message.steering : [])),
    [[], [], [], ['faster']],
  );
});

test('steering that comes after the result was sent stands as a message of its own', () => {
  const messages = messagesOf('a', [
    ['a', admitted('go')],
    ['a', asked],
    ['a', answered('', 'c1')],
    ['a', settled('c1')],
    ['a', asked],
    ['a', steered('faster')],
  ]);

  assert.deepEqual(messages.at(-1), { role: 'user', parts: [textPart('faster')] });
  assert.deepEqual(messages.at(-2), {
    role: 'tool',
    callId: 'c1',
    outcome: { type: 'done', parts: [textPart('result of c1')] },
    steering: [],
  });
});

test('an image that comes with steering stands behind the results, or behind the words where there are none', () => {
  const mention = '[an image: image/png, 1 KB]\nlook';
  const behindResult = messagesOf('a', [
    ['a', admitted('go')],
    ['a', asked],
    ['a', answered('', 'c1')],
    ['a', steeredWithImage('look')],
    ['a', settled('c1')],
  ]);
  const behindWords = messagesOf('a', [
    ['a', admitted('go')],
    ['a', asked],
    ['a', steeredWithImage('look')],
  ]);

  const result = { type: 'done', parts: [textPart('result of c1')] };
  assert.deepEqual(behindResult.slice(-2), [
    { role: 'tool', callId: 'c1', outcome: result, steering: [mention] },
    { role: 'user', parts: [image] },
  ]);
  assert.deepEqual(behindWords.at(-1), { role: 'user', parts: [textPart(mention), image] });
});

test('an image that was sent is not sent again with the next words', () => {
  const messages = messagesOf('a', [
    ['a', admitted('go')],
    ['a', steeredWithImage('look')],
    ['a', asked],
    ['a', steered('faster')],
  ]);

  assert.deepEqual(messages.at(-1), { role: 'user', parts: [textPart('faster')] });
});

test('steering before anything was asked stands as a message of its own', () => {
  const messages = messagesOf('a', [
    ['a', admitted('go')],
    ['a', steered('faster')],
  ]);

  assert.deepEqual(messages, [
    { role: 'user', parts: [textPart('go')] },
    { role: 'user', parts: [textPart('faster')] },
  ]);
});

test('what ended meanwhile is read before the message that it came with, once it is so written down, and else behind it', () => {
  const told = [heard('one', 'first'), heard('two', 'first')];
  const front = messagesOf('a', [['a', admitted('go')], ...told.map((entry) => ['a', entry] as const), ['a', asked]]);
  // As it was written down before there was a choice: such requests were sent, and are sent again as they were.
  const behind = messagesOf('a', [
    ['a', admitted('go')],
    ['a', heard('one')],
    ['a', asked],
  ]);

  assert.deepEqual(textsOf(front), ['one', 'two', 'go']);
  assert.deepEqual(textsOf(behind), ['go', 'one']);
});

/** Random turns: what ended meanwhile, steps with calls, failed tries in between, steering at any moment, and the next message queued early. */
const randomLog = fc
  .array(
    fc.record({
      steps: fc.array(fc.record({ calls: fc.integer({ min: 0, max: 3 }), tries: fc.integer({ min: 1, max: 3 }) }), {
        minLength: 1,
        maxLength: 5,
      }),
      steers: fc.array(fc.nat(30), { maxLength: 4 }),
      queuedEarly: fc.boolean(),
      news: fc.constantFrom([], [heard('ended', 'first')], [heard('ended', 'first'), heard('ended too', 'first')]),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((turns) => {
    const log: (readonly [string, TurnEntry])[] = [];
    let callCount = 0;
    for (const [index, turn] of turns.entries()) {
      const name = `t${index}`;
      if (!log.some(([other]) => other === name)) log.push([name, admitted(name)]);
      const own: TurnEntry[] = [...turn.news];
      for (const step of turn.steps) {
        for (let tries = 0; tries < step.tries; tries += 1) own.push(asked);
        const ids = Array.from({ length: step.calls }, () => `c${(callCount += 1)}`);
        own.push(answered(`answer ${own.length}`, ...ids), ...ids.map(settled));
      }
      for (const place of turn.steers) {
        const steer = place % 2 === 0 ? steered : steeredWithImage;
        own.splice(Math.min(place, own.length), 0, steer(`steer ${place}`));
      }
      if (turn.queuedEarly && index + 1 < turns.length) log.push([`t${index + 1}`, admitted(`t${index + 1}`)]);
      log.push(...own.map((entry) => [name, entry] as const));
    }
    return log;
  });

test('each request of a session is an exact extension of the one before', () => {
  fc.assert(
    fc.property(randomLog, (pairs) => {
      const conversation = new Conversation(sessionId);
      let sent: readonly string[] = [];
      for (const logged of logOf(pairs)) {
        if (logged.entry.type === 'step.asked') {
          const request = conversation.messagesFor(logged.turnId).map((message) => JSON.stringify(message));
          assert.deepEqual(request.slice(0, sent.length), sent);
          sent = request;
        }
        conversation.take([logged]);
      }
    }),
    { numRuns: 300 },
  );
});

test('a conversation read back at once is the one that was folded step by step', () => {
  fc.assert(
    fc.property(randomLog, (pairs) => {
      const whole = new Conversation(sessionId);
      const stepwise = new Conversation(sessionId);
      const last = pairs.at(-1)?.[0] as TurnId;

      whole.take(logOf(pairs));
      for (const logged of logOf(pairs)) stepwise.take([logged]);

      assert.deepEqual(whole.messagesFor(last), stepwise.messagesFor(last));
    }),
  );
});
