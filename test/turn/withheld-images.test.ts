import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { BlobId, PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { imagesIn, textPart } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import type { LoggedEntry, TurnEntry } from '../../src/model/turn.ts';
import { Conversation } from '../../src/turn/conversation.ts';

const sessionId = 'ses_1' as SessionId;
const person = 'owner' as PersonId;
const runtimes: readonly RuntimeName[] = [nameRuntime('custom', 'sees'), nameRuntime('custom', 'blind')];
const refused = { type: 'http', status: 400, kind: 'images', message: 'no', retryAfterMs: undefined } as const;

/** Turns that begin with a picture or without, and the tries that each takes: at which model, and whether it refuses. */
const turns = fc.array(
  fc.record({
    hasImage: fc.boolean(),
    tries: fc.array(fc.record({ runtime: fc.constantFrom(...runtimes), refuses: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  { minLength: 1, maxLength: 6 },
);

function entryOf(index: number, hasImage: boolean): TurnEntry {
  const image = { type: 'image', blob: `b${index}` as BlobId, mediaType: 'image/png', bytes: 9 } as const;
  const parts = hasImage ? [image, textPart(`turn ${index}`)] : [textPart(`turn ${index}`)];
  return { type: 'turn.admitted', parts, person };
}

test('each model is asked with an extension of what it was asked before, until it refuses the images, and then with none of those', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const conversation = new Conversation(sessionId);
      const log: LoggedEntry[] = [];
      const last = new Map<RuntimeName, readonly string[]>();
      const take = (turnId: TurnId, entry: TurnEntry): void => {
        log.push({ sessionId, turnId, seq: log.length + 1, at: 0, entry });
        conversation.take(log.slice(-1));
      };
      for (const [index, { hasImage, tries }] of all.entries()) {
        const turnId = `t${index}` as TurnId;
        take(turnId, entryOf(index, hasImage));
        for (const { runtime, refuses } of tries) {
          const request = conversation.messagesTo(runtime, turnId).map((message) => JSON.stringify(message));
          const before = last.get(runtime) ?? [];
          assert.deepEqual(request.slice(0, before.length), before);
          last.set(runtime, request);
          take(turnId, { type: 'step.asked', runtime, prompt: 'p', messages: request.length, digest: 'd' });
          if (!refuses) continue;
          take(turnId, { type: 'step.failed', failure: refused, next: { type: 'withhold-images', from: runtime } });
          const without = conversation.messagesTo(runtime, turnId);
          assert.deepEqual(without.flatMap(imagesIn), []);
          last.set(
            runtime,
            without.map((message) => JSON.stringify(message)),
          );
        }
        take(turnId, {
          type: 'step.finished',
          message: { role: 'assistant', parts: [textPart('ok')], calls: [] },
          finish: 'stop',
          usage: noUsage,
        });
      }
      const readBack = new Conversation(sessionId);
      readBack.take(log);
      const turnId = `t${all.length - 1}` as TurnId;
      for (const runtime of runtimes)
        assert.deepEqual(readBack.messagesTo(runtime, turnId), conversation.messagesTo(runtime, turnId));
    }),
    { numRuns: 300 },
  );
});
