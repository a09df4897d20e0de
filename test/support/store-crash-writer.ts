import { systemClock } from '../../src/base/clock.ts';
import type { NodeId } from '../../src/base/ids.ts';
import type { Store } from '../../src/model/store.ts';
import type { StoreOpener } from './store-house.ts';
import { admitted, inChat, newTurn, replyTo, settled, steered } from './store-samples.ts';

// Writes into a store until it is killed, and prints a line for everything that the store has acknowledged:
// the session, the sequence number and the text.
const [, , openerModule, place] = process.argv;
if (openerModule === undefined || place === undefined) throw new Error('usage: <module that opens the store> <place>');

const opener = (await import(openerModule)) as StoreOpener;
const store = await opener.openStore(place, systemClock);
await Promise.all([0, 1, 2, 3].map((number) => writeForEver(store, `chat ${number}`)));

async function writeForEver(into: Store, name: string): Promise<void> {
  const session = await into.sessions.at(inChat(name));
  await into.leases.acquire(`session:${session.id}`, 'nod_killed' as NodeId, 3_600_000);
  for (;;) {
    const turn = newTurn(session);
    const [first] = await into.transaction(async (tx) => {
      await tx.outbox.enqueue(replyTo(session, `reply-to-${turn.turnId}`));
      return await tx.turns.append(turn, [admitted(`text-${turn.turnId}`)]);
    });
    acknowledge(`${session.id} ${first?.seq} text-${turn.turnId}`);
    const [second] = await into.turns.append(turn, [steered(`more-${turn.turnId}`), settled()]);
    acknowledge(`${session.id} ${second?.seq} more-${turn.turnId}`);
  }
}

function acknowledge(line: string): void {
  process.stdout.write(`${line}\n`);
}
