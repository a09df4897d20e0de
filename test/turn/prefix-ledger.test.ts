import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId, TurnId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { Message } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import type { FrozenPrompt } from '../../src/model/session.ts';
import type { PrefixChange, TurnEntry } from '../../src/model/turn.ts';
import { AskedPrefixes, promptText } from '../../src/turn/asked-prefixes.ts';
import { failsWith, says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const runtime = 'custom:scripted' as RuntimeName;
const prompt: FrozenPrompt = { signature: 's', system: 'be brief', tools: [] };
const hello: Message = { role: 'user', parts: [textPart('hello')] };
const hi: Message = { role: 'assistant', parts: [textPart('hi')], calls: [] };

/** The cause that is given when the messages differ behind these entries. */
function causeAfter(...entries: readonly TurnEntry[]): string | undefined {
  const prefixes = new AskedPrefixes();
  const asked = prefixes.compare({ runtime, prompt, messages: [hello, hi], effort: undefined });
  for (const entry of [{ type: 'step.asked', ...asked.prefix } as const, ...entries]) prefixes.take(entry);
  return prefixes.compare({ runtime, prompt, messages: [hi, hello], effort: undefined }).change?.cause;
}

function bytes(messages: readonly Message[]): number {
  return Buffer.byteLength(JSON.stringify(messages));
}

async function changesOf(house: TestHouse): Promise<readonly (PrefixChange | undefined)[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'step.asked' ? [entry.change] : []));
}

test('the first request to a model says so, and each one that extends the last has nothing to say, also after a restart', async () => {
  await using house = await openTestHouse({ script: () => says('ok') });

  await house.say('one');
  await house.say('two');
  await house.restart();
  await house.say('three');

  const [first, ...rest] = await changesOf(house);
  assert.deepEqual(first, { cause: 'first', detail: 'the first request to custom:scripted', byte: 0 });
  assert.deepEqual(rest, [undefined, undefined]);
});

test('a tool list that changed is named, with the first byte that differs', async () => {
  await using house = await openTestHouse({ script: () => says('ok') });
  await house.say('one');
  const session = await house.session();
  const frozen = session.prompt;
  assert.ok(frozen);
  const older: FrozenPrompt = { ...frozen, tools: frozen.tools.filter(({ name }) => name !== 'patch') };
  await house.app.store.sessions.freeze(session.id, older);
  await house.restart();
  await house.say('two');
  await house.app.store.sessions.freeze(session.id, { ...older, signature: 'of other settings' });
  await house.restart();

  await house.say('three');

  const [, , change] = await changesOf(house);
  assert.equal(change?.cause, 'prompt');
  assert.equal(change?.detail, 'the tool list changed: patch added');
  const [before, after] = [older, frozen].map((each) => Buffer.from(promptText(each)));
  const byte = change?.byte ?? 0;
  assert.deepEqual(before?.subarray(0, byte), after?.subarray(0, byte));
  assert.notEqual(before?.[byte], after?.[byte]);
});

test('a fallback and the way back to the primary are held against what each of the two was asked last', async () => {
  await using standIn = await startModelServer(() => says('stand-in'));
  const fallback = { provider: 'custom', model: 'other', base_url: `${standIn.origin}/v1` };
  await using house = await openTestHouse({
    script: [says('one'), failsWith(401), says('three')],
    settings: { fallback },
  });

  await house.say('one');
  await house.say('two');
  await house.say('three');

  const causes = (await changesOf(house)).map((change) => change?.cause);
  assert.deepEqual(causes, ['first', undefined, 'first', undefined]);
});

test('a conversation that was shortened or taken back is the declared cause; anything else is called a defect', () => {
  const shortened: TurnEntry = {
    type: 'context.compacted',
    through: { turnId: 'trn_1' as TurnId, messages: 1 },
    summary: '',
    text: '',
    writtenBy: 'program',
    usage: noUsage,
    before: 1,
    after: 1,
  };
  assert.equal(causeAfter(shortened), 'compacted');
  assert.equal(causeAfter(shortened, { type: 'context.restored' }), 'restored');
  assert.equal(
    causeAfter({ type: 'tool.settled', callId: 'c' as CallId, outcome: { type: 'interrupted' } }),
    'unexplained',
  );
});

test('a change of effort is named, since servers keep what was read under the old one', () => {
  const prefixes = new AskedPrefixes();
  const { prefix } = prefixes.compare({ runtime, prompt, messages: [hello], effort: 'low' });
  prefixes.take({ type: 'step.asked', ...prefix });

  const { change } = prefixes.compare({ runtime, prompt, messages: [hello, hi], effort: 'high' });

  assert.deepEqual([change?.cause, change?.byte], ['effort', Buffer.byteLength(promptText(prompt))]);
});

test('a prompt has at most as many tokens as were counted last time and a byte each for what is new', () => {
  const prefixes = new AskedPrefixes();
  const request = { runtime, prompt, messages: [hello], effort: undefined };
  assert.equal(prefixes.mostTokens(request), Buffer.byteLength(promptText(prompt)) + bytes([hello]));
  prefixes.take({ type: 'step.asked', ...prefixes.compare(request).prefix });
  const answer = { role: 'assistant', parts: [], calls: [] } as const;
  const usage = { fresh: 10, cacheRead: 20, cacheWrite: 5, output: 99, reasoning: 0 };
  prefixes.take({ type: 'step.finished', message: answer, finish: 'stop', usage });

  assert.equal(prefixes.mostTokens({ ...request, messages: [hello, hi] }), 35 + bytes([hi]));
});
