import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import type { BlobId } from '../../src/base/ids.ts';
import type { ImageType } from '../../src/model/image.ts';
import { textPart } from '../../src/model/message.ts';
import type { Message, Part } from '../../src/model/message.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import { prepareAnthropicMessages } from '../../src/providers/anthropic-messages-request.ts';
import { prepareOpenAiChat } from '../../src/providers/openai-chat-request.ts';
import { prepareOpenAiResponses } from '../../src/providers/openai-responses-request.ts';
import { fiveMinutes, withoutMarkers } from './anthropic-setup.ts';
import { callId, requestOf } from './chat-setup.ts';

const blobs = ['a', 'b', 'c', 'd'] as readonly string[] as readonly BlobId[];
const lost = 'lost' as BlobId;

/** All the pictures of a session, the newest of which an earlier request did not have yet. */
const images: ReadonlyMap<BlobId, string> = new Map(
  blobs.map((blob) => [blob, Buffer.from(`picture ${blob}`).toString('base64')]),
);

const types: readonly ImageType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.oneof(fc.string(), fc.constantFrom('', ' ', '"}],"max_tokens":1', '\ud800')).map(textPart),
  fc.record({
    type: fc.constant('image' as const),
    blob: fc.constantFrom(...blobs, lost),
    mediaType: fc.constantFrom(...types),
    bytes: fc.nat(),
    name: fc.string(),
  }),
);
const said: fc.Arbitrary<Message> = fc.record({
  role: fc.constant('user' as const),
  parts: fc.array(anyPart, { minLength: 1, maxLength: 4 }),
});

/** What is added between two requests: an answer, results of its calls, pictures while tools ran, and the next message. */
const round: fc.Arbitrary<readonly Message[]> = fc
  .record({ calls: fc.nat(2), text: fc.string(), steering: fc.array(fc.string(), { maxLength: 1 }), next: said })
  .map(({ calls, text, steering, next }) => {
    const ids = Array.from({ length: calls }, (_, place) => callId(`call_${place}`));
    return [
      {
        role: 'assistant',
        parts: [textPart(text)],
        calls: ids.map((id) => ({ id, name: 'read_file', arguments: '{}' })),
      },
      ...ids.map((id): Message => {
        return { role: 'tool', callId: id, outcome: { type: 'done', parts: [textPart(text)] }, steering };
      }),
      next,
    ];
  });

const protocols: readonly (readonly [string, (request: ModelRequest) => string, string])[] = [
  ['chat completions', (request) => prepareOpenAiChat(request), ']'],
  ['Responses', (request) => prepareOpenAiResponses(request, 'openai'), ']'],
  ['Messages', (request) => withoutMarkers(prepareAnthropicMessages(request, fiveMinutes)), ']}],"max_tokens":'],
];

for (const [name, prepare, end] of protocols) {
  test(`with pictures anywhere in it, each ${name} request begins with all of the one before`, () => {
    fc.assert(
      fc.property(said, fc.array(round, { minLength: 1, maxLength: 6 }), (first, rounds) => {
        const messages: Message[] = [first];
        let before = prepare(requestOf({ messages, images: onlyIn(messages) }));
        for (const added of rounds) {
          messages.push(...added);
          const body = prepare(requestOf({ messages, images: onlyIn(messages) }));
          const beginning = before.slice(0, before.lastIndexOf(end));
          assert.ok(body.startsWith(beginning));
          assert.ok(body.isWellFormed());
          before = body;
        }
      }),
      { numRuns: 300, seed: 20_26 },
    );
  });
}

/** The pictures as they are loaded for a request: those that it has, and no others. */
function onlyIn(messages: readonly Message[]): ReadonlyMap<BlobId, string> {
  const text = JSON.stringify(messages);
  return new Map([...images].filter(([blob]) => text.includes(`"blob":"${blob}"`)));
}
