import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { AsyncQueue } from '../../src/base/async-queue.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Runtime } from '../../src/model/runtime.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { InstantClock } from '../support/instant-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  bodyOf,
  cutsAfter,
  endsAfter,
  failsWith,
  resets,
  resetsAfter,
  says,
  sendsRaw,
  stallsAfter,
  staysSilent,
} from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { protocolScripts } from '../support/protocol-scripts.ts';
import type { ProtocolScript } from '../support/protocol-scripts.ts';
import { openAgentBench, runtimeAt } from './agent-bench.ts';

const again = 'retry 1000, retry 2000, retry 4000';

/** A fault that does not pass, what it is taken for, and what is done about it until the stand-in answers. */
interface Fault {
  readonly name: string;
  readonly step: (protocol: ProtocolScript) => ModelStep;
  readonly path: string;
}

const error = (status: number, headers: Readonly<Record<string, string>> = {}): Fault['step'] => {
  return () => failsWith(status, { error: { message: 'no' } }, headers);
};

const inTheMiddle = (fault: (bytes: number, step: ModelStep) => ModelStep): Fault['step'] => {
  return (protocol) => {
    const answer = protocol.says('Hello');
    return fault(Math.floor(bodyOf(answer).length / 2), answer);
  };
};

const faults: readonly Fault[] = [
  { name: 'resets the connection', step: () => resets(), path: `cut: ${again}, fall-back` },
  { name: 'resets in the middle of its answer', step: inTheMiddle(resetsAfter), path: `cut: ${again}, fall-back` },
  { name: 'closes in the middle of its answer', step: inTheMiddle(cutsAfter), path: `cut: ${again}, fall-back` },
  { name: 'ends its answer half-way', step: inTheMiddle(endsAfter), path: `cut: ${again}, fall-back` },
  { name: 'sends garbage', step: () => sendsRaw('data: {{{\n\n'), path: `protocol: ${again}, fall-back` },
  { name: 'answers 400', step: error(400), path: 'bad-request: fall-back' },
  { name: 'answers 401', step: error(401), path: 'auth: fall-back' },
  { name: 'answers 402', step: error(402), path: 'billing: fall-back' },
  { name: 'answers 403', step: error(403), path: 'forbidden: fall-back' },
  { name: 'answers 404', step: error(404), path: 'not-found: fall-back' },
  { name: 'answers 429', step: error(429), path: `rate-limit: ${again}, fall-back` },
  {
    name: 'answers 429 and asks for a short wait',
    step: error(429, { 'retry-after': '7' }),
    path: 'rate-limit: retry 7000, retry 7000, retry 7000, fall-back',
  },
  {
    name: 'answers 429 and asks for a long wait',
    step: error(429, { 'retry-after': '90' }),
    path: 'rate-limit: fall-back',
  },
  {
    name: 'answers 429 and asks for no wait',
    step: error(429, { 'retry-after': '0' }),
    path: `rate-limit: ${again}, fall-back`,
  },
  { name: 'answers 500', step: error(500), path: `server: ${again}, fall-back` },
  { name: 'answers 503', step: error(503), path: `overloaded: ${again}, fall-back` },
  { name: 'answers 529', step: error(529), path: `overloaded: ${again}, fall-back` },
  {
    name: 'breaks off with an error',
    step: ({ breaksOffWith }) => breaksOffWith({ type: 'overloaded_error', message: 'busy' }),
    path: `overloaded: ${again}, fall-back`,
  },
];

/** The same for servers that stop answering, which is noticed when the time of a call is over. */
const stalls: readonly (readonly [string, Fault['step']])[] = [
  ['says nothing', () => staysSilent()],
  ['stalls in the middle of its answer', inTheMiddle(stallsAfter)],
];

/** What the log says of a turn's failures: their kind, and what followed each. */
function describePath(log: readonly TurnEntry[], waits: readonly number[]): string {
  const left = [...waits];
  const failures = log.filter((entry) => entry.type === 'step.failed');
  const kinds = new Set(failures.map(({ failure }) => ('kind' in failure ? failure.kind : failure.type)));
  const steps = failures.map(({ next: { type } }) =>
    type === 'retry' || type === 'recover' ? `${type} ${left.shift() ?? 0}` : type,
  );
  return `${[...kinds].join('/')}: ${steps.join(', ')}`;
}

interface Seen {
  readonly path: string;
  readonly reply: string;
}

/** Runs a turn at the primary, whose connections have a clock of their own, with a stand-in behind it. */
async function pathAt(primary: Runtime, network: Clock): Promise<Seen> {
  const clock = new InstantClock();
  await using standIn = await startModelServer(() => says('stand-in'));
  await using bench = await openAgentBench({
    chain: [primary, runtimeAt(standIn.baseUrl, 'second')],
    clock,
    network: ({ model }) => (model === 'first' ? network : systemClock),
  });
  const end = await bench.run();
  return { path: describePath(await bench.log(), clock.waits), reply: end.type === 'replied' ? end.text : end.type };
}

const longestCallMs = 1_800_000;
const longestHandshakeMs = 10_000;

/** Lets the time of each call run out as soon as it has begun. */
async function runOut(clock: ManualClock, ms: number, whenBegun: (call: number) => Promise<unknown>): Promise<void> {
  for (const call of [1, 2, 3, 4, 5]) {
    await whenBegun(call);
    clock.advance(ms);
  }
}

for (const protocol of protocolScripts) {
  const primaryAt = (baseUrl: string): Runtime =>
    runtimeAt(baseUrl, 'first', { apiMode: protocol.apiMode, place: 'remote' });

  describe(`over ${protocol.apiMode} the stand-in answers in the end for a server that`, () => {
    for (const { name, step, path } of faults) {
      test(name, async () => {
        await using server = await startModelServer(() => step(protocol));

        const seen = await pathAt(primaryAt(server.baseUrl), systemClock);

        assert.deepEqual(seen, { path, reply: 'stand-in' });
      });
    }

    for (const [name, step] of stalls) {
      test(name, async () => {
        const clock = new ManualClock();
        await using server = await startModelServer(() => step(protocol));

        const [seen] = await Promise.all([
          pathAt(primaryAt(server.baseUrl), clock),
          runOut(clock, longestCallMs, (call) => server.whenRequested(call)),
        ]);

        assert.deepEqual(seen, { path: `read-timeout: ${again}, recover 6000, fall-back`, reply: 'stand-in' });
      });
    }

    test('refuses the connection', async () => {
      const gone = await startModelServer();
      const { baseUrl } = gone;
      await gone.close();

      const seen = await pathAt(primaryAt(baseUrl), systemClock);

      assert.deepEqual(seen, { path: `connect-error: ${again}, recover 6000, fall-back`, reply: 'stand-in' });
    });

    test('takes the connection and no more', async () => {
      const clock = new ManualClock();
      await using mute = await listenMute();

      const [seen] = await Promise.all([
        pathAt(primaryAt(mute.url), clock),
        runOut(clock, longestHandshakeMs, () => mute.whenGreeted()),
      ]);

      assert.deepEqual(seen, { path: `connect-timeout: ${again}, recover 6000, fall-back`, reply: 'stand-in' });
    });
  });
}

interface MuteServer extends AsyncDisposable {
  readonly url: string;
  /** Resolves with each new connection once its first bytes are there. */
  whenGreeted(): Promise<unknown>;
}

/** A server that never answers the handshake. */
async function listenMute(): Promise<MuteServer> {
  const sockets = new Set<Socket>();
  const greetings = new AsyncQueue<Socket>();
  const inOrder = greetings[Symbol.asyncIterator]();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => greetings.push(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    whenGreeted: () => inOrder.next(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
