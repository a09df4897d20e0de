import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import type { PersonId } from '../src/base/ids.ts';
import { silentLog } from '../src/base/log.ts';
import { textPart } from '../src/model/message.ts';
import { noUsage } from '../src/model/provider.ts';
import { nameRuntime } from '../src/model/runtime.ts';
import type { TurnEntry } from '../src/model/turn.ts';
import { openSqliteStore } from '../src/store/sqlite/open-store.ts';
import type { Figure } from './figure.ts';
import { medianTimes, runToEnd } from './measure.ts';
import type { Product } from './product.ts';

const rounds = 9;
const person = 'owner' as PersonId;

/** A one-shot turn at the end of a long conversation, which is read, folded and sent whole, beside one in a new session. */
export async function measureLongHistory(product: Product): Promise<readonly Figure[]> {
  const large = await writeHistory(product, { turns: 50, characters: 10_500 });
  const many = await writeHistory(product, { turns: 2500, characters: 100 });
  const times = await medianTimes(
    {
      fresh: () => runToEnd(product.talaria(['run', 'say hi'])),
      large: () => runToEnd(product.talaria(['run', '-r', large, 'say hi'])),
      many: () => runToEnd(product.talaria(['run', '-r', many, 'say hi'])),
    },
    rounds,
  );
  const floor = { name: 'one in a new session', value: times.fresh };
  const shared = { unit: 'ms', floor, bar: { type: 'none' } } as const;
  return [
    { ...shared, name: 'one-shot turn behind 1 MB of history', value: times.large },
    { ...shared, name: 'one-shot turn behind 5,000 messages', value: times.many },
  ];
}

interface History {
  readonly turns: number;
  /** In each of the two messages of a turn. */
  readonly characters: number;
}

async function writeHistory(product: Product, { turns, characters }: History): Promise<string> {
  const store = await openSqliteStore({ folder: join(product.home, 'state'), clock: systemClock, log: silentLog });
  const address = { platform: 'terminal', account: 'local', chat: newId('node', Date.now()), thread: '' };
  const session = await store.sessions.at({ address, person, workdir: product.bareFolder });
  const text = 'history '.repeat(Math.ceil(characters / 8)).slice(0, characters);
  for (let turn = 0; turn < turns; turn += 1) {
    const ref = { sessionId: session.id, turnId: newId('turn', Date.now()) };
    await store.turns.append(ref, entriesOf(`${turn} ${text}`, turn * 2 + 1));
  }
  await store.close();
  return session.id;
}

function entriesOf(text: string, messages: number): readonly TurnEntry[] {
  const runtime = nameRuntime('custom', 'scripted');
  return [
    { type: 'turn.admitted', parts: [textPart(text)], person },
    { type: 'step.asked', runtime, prompt: '', messages, digest: '' },
    {
      type: 'step.finished',
      message: { role: 'assistant', parts: [textPart(text)], calls: [] },
      finish: 'stop',
      usage: noUsage,
    },
    { type: 'turn.settled', result: { type: 'replied', text, ending: 'complete' } },
  ];
}
