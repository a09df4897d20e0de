import { systemClock } from '../../src/base/clock.ts';
import type { Session } from '../../src/model/session.ts';
import type { Store } from '../../src/model/store.ts';
import { laterMigrations } from './store-migrations.ts';
import {
  admitted,
  answered,
  inChat,
  messageKey,
  newTurn,
  replyTo,
  settled,
  steered,
  toolSaid,
} from './store-samples.ts';
import { silentLog } from '../../src/base/log.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';

// Writes a secret everywhere a session can have one, deletes the session in the way that is asked for, prints a line,
// and waits to be killed.
const [, , folder, secret, way] = process.argv;
if (folder === undefined || secret === undefined) throw new Error('usage: <folder> <secret> <way>');

if (way !== 'complete') await writeWithOlderProgram(folder, secret);
const store = await openLater(folder);
if (way === 'complete') await store.close();
else await writeAndDelete(secret);
process.stdout.write('deleted\n');
process.stdin.resume();
// Keeps the store open: what nothing refers to could be closed by the garbage collector.
process.stdin.on('end', () => void store.close());

/** So that the later schema finds something to back up. */
async function writeWithOlderProgram(place: string, text: string): Promise<void> {
  const older = await openSqliteStore({ folder: place, clock: systemClock, log: silentLog });
  await fillEverywhere(older, await older.sessions.at(inChat(`chat ${text}`)), text);
  await older.close();
}

function openLater(place: string): Promise<Store> {
  const migration = { migrations: laterMigrations };
  return openSqliteStore({ folder: place, clock: systemClock, log: silentLog, migration });
}

async function writeAndDelete(text: string): Promise<void> {
  await fillEverywhere(store, await store.sessions.at(inChat('kept')), 'harmless');
  const gone = await store.sessions.at(inChat(`chat ${text}`));
  await fillEverywhere(store, gone, text);
  if (way === 'delete') await store.sessions.delete(gone.id);
  if (way === 'transaction') await store.transaction((tx) => tx.sessions.delete(gone.id));
  if (way === 'prune') await store.prune(systemClock.now() + 1);
  if (way === 'cut-off') await dieBetween(store.sessions.delete(gone.id));
}

/** Ends as soon as the rows are gone, before anything else could be removed. */
async function dieBetween(deletion: Promise<void>): Promise<void> {
  await Promise.race([deletion, store.sessions.at(inChat('another'))]);
  process.stdout.write('deleted\n');
  process.kill(process.pid, 'SIGKILL');
}

async function fillEverywhere(into: Store, session: Session, text: string): Promise<void> {
  const turn = newTurn(session);
  await into.turns.append(turn, [
    admitted(`${text} ${'filler words to fill a page '.repeat(30)}`),
    steered(`also ${text}`),
  ]);
  await into.turns.append(turn, [toolSaid(`x${text}x ${'y'.repeat(9000)} ${text}`), answered(text), settled(text)]);
  await into.sessions.setTitle(session.id, `about ${text}`);
  await into.sessions.freeze(session.id, { signature: text, system: text.repeat(500), tools: [] });
  await into.inbox.note({ ...messageKey(text), chat: text });
  const sent = await into.outbox.enqueue(replyTo(session, text));
  await into.outbox.sending(sent);
  await into.outbox.settle(sent, { type: 'sent', platformId: `platform ${text}` }, systemClock.now());
  await into.blobs.put(session.id, `${text} ${text.repeat(2000)}`);
  await into.leases.acquire(`session:${session.id}`, `nod_${text}` as never, 1000);
}
