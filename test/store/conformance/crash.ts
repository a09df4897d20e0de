import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/base/clock.ts';
import type { NodeId } from '../../../src/base/ids.ts';
import type { SessionId } from '../../../src/base/ids.ts';
import type { Store } from '../../../src/model/store.ts';
import { inChat, sequence } from '../../support/store-samples.ts';
import type { Promises, StoreSubject } from './promises.ts';

const writer = join(import.meta.dirname, '../../support/store-crash-writer.ts');

/** Lets a child write into the store, kills it after so many acknowledgements, and returns those. */
async function killWhileWriting(subject: StoreSubject, place: string, lines: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [writer, subject.openerModule.href, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === lines) child.kill('SIGKILL');
  }
  const [, signal] = await exited;
  assert.equal(signal, 'SIGKILL');
  return acknowledged;
}

async function checkAcknowledged(store: Store, acknowledged: readonly string[]): Promise<void> {
  for (const line of acknowledged) {
    const [sessionId, seq, text] = line.split(' ');
    const [found] = await store.turns.after(sessionId as SessionId, Number(seq) - 1);
    assert.equal(found?.seq, Number(seq));
    assert.equal(JSON.stringify(found.entry).includes(`"${text}"`), true, line);
  }
}

export const crashPromises: Promises = {
  'whatever was acknowledged before a kill is there, in order and without a gap, kill after kill': async (subject) => {
    await using place = await subject.opener.makePlace();
    const acknowledged: string[] = [];
    for (const lines of [1, 40, 97]) {
      acknowledged.push(...(await killWhileWriting(subject, place.path, lines)));

      const store = await subject.opener.openStore(place.path, systemClock);
      await checkAcknowledged(store, acknowledged);
      let transactions = 0;
      for (const session of await store.sessions.list({ limit: 100 })) {
        const kept = await store.turns.after(session.id, 0);
        assert.deepEqual(
          sequence(kept),
          kept.map((_, index) => index + 1),
        );
        transactions += kept.filter(({ entry }) => entry.type === 'turn.admitted').length;
      }
      // Each turn was admitted in one transaction with a reply: they are there together or not at all.
      assert.equal((await store.outbox.due('test', systemClock.now())).length, transactions);
      await store.close();
    }
  },

  'a lease that a killed process held bars no one, and its epochs go on rising': async (subject) => {
    await using place = await subject.opener.makePlace();
    await killWhileWriting(subject, place.path, 1);
    const store = await subject.opener.openStore(place.path, systemClock);

    const session = await store.sessions.at(inChat('chat 0'));
    const grant = await store.leases.acquire(`session:${session.id}`, 'nod_next' as NodeId, 1000);
    await store.close();

    assert.deepEqual(grant, { type: 'held', epoch: 2 });
  },
};
