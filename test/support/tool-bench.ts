import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { CallId, NodeId, PersonId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { textPart } from '../../src/model/message.ts';
import type { EarlyEnd } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import { object, string } from '../../src/model/schema.ts';
import type { Store } from '../../src/model/store.ts';
import type { Tool, ToolEffect } from '../../src/model/tool.ts';
import type { TurnRef } from '../../src/model/turn.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { Conversation } from '../../src/turn/conversation.ts';
import { Recorder } from '../../src/turn/recorder.ts';
import { runTools } from '../../src/turn/run-tools.ts';
import { makeTempFolder } from './temp-folder.ts';

/** Gates of a tool that runs until the test says that it is done, so that the order of finishing is the test's to choose. */
class Gates {
  readonly begun: string[] = [];
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #onBegin = new Set<(id: string) => void>();

  gate(id: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(id) ?? Promise.withResolvers<void>();
    this.#gates.set(id, gate);
    return gate;
  }

  begin(id: string): Promise<void> {
    this.begun.push(id);
    for (const notify of this.#onBegin) notify(id);
    return this.gate(id).promise;
  }

  onBegin(notify: (id: string) => void): void {
    this.#onBegin.add(notify);
  }

  async whenBegun(count: number): Promise<void> {
    while (this.begun.length < count) {
      await new Promise<void>((resolve) => {
        this.#onBegin.add(() => {
          resolve();
        });
      });
    }
  }
}

function gatedTool(
  gates: Gates,
  { effect = 'reads', resultOf = (id) => id, ended }: BenchOptions,
): Tool<{ readonly id: string }> {
  return {
    name: 'wait',
    toolset: 'test',
    description: 'runs until it is told to end',
    input: object({ id: string('which') }),
    effect,
    assess: () => Promise.resolve({ type: 'safe' }),
    footprint: ({ id }) => ({ type: 'files', paths: [`/${id}`] }),
    run: async ({ id }) => {
      await gates.begin(id);
      return { type: 'done', parts: [textPart(resultOf(id))], ...(ended && { ended }) };
    },
    verify: () => Promise.resolve('unknown'),
  };
}

export interface ToolBench extends AsyncDisposable {
  readonly store: Store;
  readonly turn: TurnRef;
  /** The types of the entries of every single write. */
  readonly writes: readonly (readonly string[])[];
  run(): Promise<void>;
  running(): readonly string[];
  /** What had been written when this call's tool began. Noted at once: asking the store would wait for what is on its way. */
  writtenBefore(id: string): readonly (readonly string[])[];
  whenRunning(count: number): Promise<void>;
  whenAllRun(): Promise<void>;
  finish(id: string): void;
  whenFinished(id: string): Promise<void>;
  /** The calls whose outcome stands on disk, in order. */
  settled(): Promise<readonly string[]>;
}

interface BenchOptions {
  /** What reads runs side by side, what is unsafe one after another. */
  readonly effect?: ToolEffect;
  readonly resultOf?: (id: string) => string;
  /** How every call says that it ended; left out: by itself. */
  readonly ended?: EarlyEnd;
}

/** A turn on a real store whose last answer calls a tool under these ids. */
export async function openToolBench(ids: readonly string[], options: BenchOptions = {}): Promise<ToolBench> {
  const folder = await makeTempFolder();
  const store = await openSqliteStore({ folder: join(folder.path, 'state'), clock: systemClock, log: silentLog });
  const gates = new Gates();
  const writes: string[][] = [];
  const turn = await admitTurn(store, ids, folder.path);
  const recorder = await openRecorder(store, turn, writes);
  const writtenBefore = new Map<string, readonly (readonly string[])[]>();
  const tool = gatedTool(gates, options);
  gates.onBegin((id) => writtenBefore.set(id, [...writes]));
  return {
    store,
    turn,
    writes,
    run: () =>
      runTools(
        {
          recorder,
          tools: new Map<string, Tool>([[tool.name, tool]]),
          blobs: store.blobs,
          approvals: { ask: () => Promise.resolve({ verdict: 'denied', by: null }) },
          questions: { ask: () => Promise.resolve({ type: 'nobody' }) },
          place: { sessionId: turn.sessionId, workdir: folder.path },
          person: 'owner' as PersonId,
          emit: () => undefined,
        },
        new AbortController().signal,
      ),
    running: () => [...gates.begun],
    writtenBefore: (id) => writtenBefore.get(id) ?? [],
    whenRunning: (count) => gates.whenBegun(count),
    whenAllRun: () => gates.whenBegun(ids.length),
    finish: (id) => gates.gate(id).resolve(),
    whenFinished: async (id) => {
      await gates.gate(id).promise;
      // A write would take a tick of the loop and one commit; after a commit of our own it would be there.
      await store.leases.acquire('bench', 'nod_bench' as NodeId, 1);
    },
    async settled() {
      const log = await store.turns.after(turn.sessionId, 0);
      return log.flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.callId] : []));
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function admitTurn(store: Store, ids: readonly string[], workdir: string): Promise<TurnRef> {
  const address = { platform: 'terminal', account: 'local', chat: 'bench', thread: '' };
  const session = await store.sessions.at({ address, person: 'owner' as PersonId, workdir });
  const turn = { sessionId: session.id, turnId: newId('turn', Date.now()) };
  const calls = ids.map((id) => ({ id: id as CallId, name: 'wait', arguments: JSON.stringify({ id }) }));
  await store.turns.append(turn, [
    { type: 'turn.admitted', parts: [textPart('go')], person: 'owner' as PersonId },
    { type: 'step.finished', message: { role: 'assistant', parts: [], calls }, finish: 'calls', usage: noUsage },
  ]);
  return turn;
}

async function openRecorder(store: Store, turn: TurnRef, writes: string[][]): Promise<Recorder> {
  const lease = `session:${turn.sessionId}`;
  const grant = await store.leases.acquire(lease, 'nod_bench' as NodeId, 60_000);
  if (grant.type === 'taken') throw new Error('the lease is taken');
  const conversation = new Conversation(turn.sessionId);
  await conversation.catchUp(store.turns);
  const watched: Pick<Store, 'turns' | 'transaction'> = {
    turns: store.turns,
    transaction: async (work) => {
      const result = await store.transaction(work);
      if (Array.isArray(result))
        writes.push((result as readonly { entry: { type: string } }[]).map(({ entry }) => entry.type));
      return result;
    },
  };
  const fence = { lease, epoch: grant.epoch };
  return new Recorder(turn, {
    store: watched,
    conversation,
    takeLease: () => Promise.resolve(fence),
    clock: systemClock,
    emit: () => undefined,
    faults: undefined,
  });
}
