import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId, TurnId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { Message } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { ModelFailure } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import type { FrozenPrompt } from '../../src/model/session.ts';
import type { PrefixChange, TurnEntry } from '../../src/model/turn.ts';
import { AskedPrefixes, promptText } from '../../src/turn/asked-prefixes.ts';
import type { AskedRuntime, NextRequest } from '../../src/turn/asked-prefixes.ts';
import { callsToolsAnthropic, saysAnthropic } from '../support/anthropic-script.ts';
import { failsWith, says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const runtime = runtimeOf('custom');
const prompt: FrozenPrompt = { signature: 's', system: 'be brief', tools: [] };
const hello: Message = { role: 'user', parts: [textPart('hello')] };
const hi: Message = { role: 'assistant', parts: [textPart('hi')], calls: [] };

const staleReasoning: ModelFailure = {
  type: 'http',
  status: 400,
  kind: 'stale-reasoning',
  message: '',
  retryAfterMs: undefined,
};
const promptBytes = Buffer.byteLength(promptText(prompt));

function runtimeOf(vendor: string, apiMode: ApiMode = 'chat_completions', host = 'one'): AskedRuntime {
  return { name: nameRuntime(vendor, 'scripted'), vendor, apiMode, baseUrl: `http://${host}.example/v1` };
}

function requestWith(messages: readonly Message[], other: Partial<NextRequest> = {}): NextRequest {
  return { runtime, prompt, messages, effort: undefined, toolUse: 'allowed', ...other };
}

/** Takes note of a request as sent, and says how it compares with the one before it. */
function ask(prefixes: AskedPrefixes, request: NextRequest): PrefixChange | undefined {
  const { prefix, change } = prefixes.compare(request);
  prefixes.take({ type: 'step.asked', ...prefix });
  return change;
}

/** The change that is found when the messages differ behind these entries. */
function changeAfter(...entries: readonly TurnEntry[]): PrefixChange | undefined {
  const prefixes = new AskedPrefixes();
  ask(prefixes, requestWith([hello, hi]));
  for (const entry of entries) prefixes.take(entry);
  return ask(prefixes, requestWith([hi, hello]));
}

function causeAfter(...entries: readonly TurnEntry[]): string | undefined {
  return changeAfter(...entries)?.cause;
}

function bytes(messages: readonly Message[]): number {
  return Buffer.byteLength(JSON.stringify(messages));
}

function bytesOf(message: Message): number {
  return Buffer.byteLength(JSON.stringify(message));
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
  const frozen = await house.frozenPrompt();
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

for (const [what, cause, change] of [
  ['effort', 'effort', { effort: 'high' }],
  ['what may be called', 'tool-choice', { toolUse: 'forbidden' }],
] as const) {
  test(`a change of ${what} is named where it makes the server read the messages anew, and only there`, () => {
    const causes = (['anthropic_messages', 'chat_completions', 'codex_responses'] as const).map((apiMode) => {
      const prefixes = new AskedPrefixes();
      const asked = { runtime: runtimeOf('any', apiMode), effort: 'low' } as const;
      ask(prefixes, requestWith([hello], asked));
      return ask(prefixes, requestWith([hello, hi], { ...asked, ...change }));
    });

    assert.deepEqual(
      causes.map((each) => each?.cause),
      [cause, undefined, undefined],
    );
    assert.equal(causes[0]?.byte, promptBytes);
  });
}

test('the last call of a budget, which may call no tools, costs a Claude its cache of the messages, and the log says so', async () => {
  await using house = await openTestHouse({
    script: [callsToolsAnthropic([{ name: 'read_file', args: { path: 'missing.txt' } }]), saysAnthropic('done')],
    apiMode: 'anthropic_messages',
    settings: { agent: { max_turns: 1 } },
  });

  await house.say('look');

  const causes = (await changesOf(house)).map((change) => change?.cause);
  assert.deepEqual(causes, ['first', 'tool-choice']);
});

test('the first byte that changed is found inside the messages, and is that of all messages after a restart', () => {
  const thought: Message = { ...hi, reasoning: { vendor: 'custom', text: 'hm', items: [] } };
  const forgot: TurnEntry = {
    type: 'step.failed',
    failure: staleReasoning,
    next: { type: 'forget-reasoning', of: 'custom' },
  };
  const [prefixes, restarted] = [new AskedPrefixes(), new AskedPrefixes()];
  const request = requestWith([hello, thought]);
  restarted.take({ type: 'step.asked', ...prefixes.compare(request).prefix });
  ask(prefixes, request);
  for (const each of [prefixes, restarted]) each.take(forgot);

  const [change, late] = [prefixes, restarted].map((each) => ask(each, requestWith([hello, hi])));

  // What was thought stands last in a message.
  const same = bytesOf(hi) - 1;
  assert.deepEqual([change?.cause, change?.byte], ['reasoning', promptBytes + bytesOf(hello) + same]);
  assert.deepEqual([late?.cause, late?.byte], ['reasoning', promptBytes]);
});

test('thoughts that one vendor does not take back change nothing for the models of another', () => {
  const thought: Message = { ...hi, reasoning: { vendor: 'first', text: 'hm', items: [] } };
  const [first, second] = [runtimeOf('first'), runtimeOf('second')];
  const prefixes = new AskedPrefixes();
  for (const asked of [first, second]) ask(prefixes, requestWith([hello, thought], { runtime: asked }));

  prefixes.take({ type: 'step.failed', failure: staleReasoning, next: { type: 'forget-reasoning', of: 'first' } });
  const changes = [first, second].map((asked) => prefixes.compare(requestWith([hello, hi], { runtime: asked })).change);
  const defect = ask(prefixes, requestWith([hi, hello], { runtime: second }));

  assert.deepEqual(
    [...changes, defect].map((change) => change?.cause),
    ['reasoning', undefined, 'unexplained'],
  );
});

test('the same model behind another address or protocol has a beginning of its own', () => {
  const prefixes = new AskedPrefixes();
  const [one, two, three] = [
    runtimeOf('custom'),
    runtimeOf('custom', 'chat_completions', 'two'),
    runtimeOf('custom', 'codex_responses'),
  ];

  const causes = [one, two, three, one, two, three].map(
    (asked) => ask(prefixes, requestWith([hello], { runtime: asked }))?.cause,
  );

  assert.deepEqual(causes, ['first', 'address', 'address', undefined, undefined, undefined]);
});

test('a prefix that was written down without its server stands for every server of its model', () => {
  const prefixes = new AskedPrefixes();
  const { server: _unknown, ...prefix } = prefixes.compare(requestWith([hello])).prefix;
  prefixes.take({ type: 'step.asked', ...prefix });

  assert.equal(ask(prefixes, requestWith([hello, hi])), undefined);
});

test('no name or password of an address gets into the log', () => {
  const prefixes = new AskedPrefixes();
  const secret = { ...runtime, baseUrl: 'http://me:hush@one.example/v1/' };

  const { prefix } = prefixes.compare(requestWith([hello], { runtime: secret }));

  assert.deepEqual(prefix, prefixes.compare(requestWith([hello])).prefix);
});

test('a prompt has at most as many tokens as were counted last time and a byte each for what is new', () => {
  const prefixes = new AskedPrefixes();
  const request = requestWith([hello], { runtime: runtimeOf('custom', 'anthropic_messages') });
  assert.equal(prefixes.mostTokens(request), promptBytes + bytes([hello]));
  ask(prefixes, request);
  const answer = { role: 'assistant', parts: [], calls: [] } as const;
  const usage = { fresh: 10, cacheRead: 20, cacheWrite: 5, output: 99, reasoning: 0 };
  prefixes.take({ type: 'step.finished', message: answer, finish: 'stop', usage });

  const longer = { ...request, messages: [hello, hi] };
  assert.equal(prefixes.mostTokens(longer), 35 + bytes([hi]));
  assert.equal(prefixes.mostTokens({ ...longer, toolUse: 'forbidden' }), 35 + bytes([hi]));
});
