import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { LoggedEntry } from '../../src/model/turn.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { says, stallsAfter } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { answered, contentsOf, isForSummary, prose } from './compaction-setup.ts';

const child = fileURLToPath(new URL('../support/house-child.ts', import.meta.url));

interface Place {
  readonly home: string;
  readonly workdir: string;
}

async function openPlace(folder: string, baseUrl: string, window: number): Promise<Place> {
  const place = { home: join(folder, 'home'), workdir: join(folder, 'work') };
  await mkdir(place.home, { mode: 0o700 });
  await mkdir(place.workdir);
  const model = { provider: 'custom', base_url: baseUrl, default: 'scripted', context_length: window };
  await writeFile(join(place.home, 'config.json'), JSON.stringify({ model }));
  return place;
}

/** The real program in a process of its own, which says one message or goes on with what is unsettled. */
function startChild({ home, workdir }: Place, message: string): ChildProcess {
  return spawn(process.execPath, [child, home, workdir, '-', '0', message], { stdio: 'ignore' });
}

async function say(place: Place, message: string): Promise<void> {
  await once(startChild(place, message), 'exit');
}

async function readLog(place: Place): Promise<readonly LoggedEntry[]> {
  const store = await openSqliteStore({ folder: join(place.home, 'state'), clock: systemClock, log: silentLog });
  try {
    const [session] = await store.sessions.list({ limit: 1 });
    return session ? await store.turns.after(session.id, 0) : [];
  } finally {
    await store.close();
  }
}

function count(log: readonly LoggedEntry[], type: LoggedEntry['entry']['type']): number {
  return log.filter(({ entry }) => entry.type === type).length;
}

const ways = [
  { name: 'one by hand', window: 100_000, message: '/compact', reply: /^Shortened: / },
  { name: 'one by itself', window: 5900, message: 'Go on.', reply: /^Reply / },
];

for (const { name, window, message, reply } of ways) {
  test(`kill -9 while a summary is written, ${name}: the conversation is as it was, and the next start shortens it`, async () => {
    await using folder = await makeTempFolder();
    let summaries = 0;
    await using server = await startModelServer((request, index) => {
      if (!isForSummary(request)) return says(`Reply ${index}. ${prose('word', 500)}`);
      summaries += 1;
      return summaries === 1 ? stallsAfter(0, says('never')) : says('SUMMARY OF IT.');
    });
    const place = await openPlace(folder.path, server.baseUrl, window);
    for (const word of ['One', 'Two', 'Three', 'Four']) await say(place, `${word}: keep to metric units.`);

    const killed = startChild(place, message);
    await server.whenStalled();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const atDeath = await readLog(place);
    await say(place, '');
    const log = await readLog(place);
    await say(place, 'And then?');

    assert.equal(count(atDeath, 'compaction.asked'), 1);
    assert.equal(count(atDeath, 'context.compacted'), 0);
    assert.equal(count(log, 'context.compacted'), 1);
    const results = log.flatMap(({ entry }) => (entry.type === 'turn.settled' ? [entry.result] : []));
    assert.equal(results.length, 5);
    assert.match(results.at(-1)?.type === 'replied' ? (results.at(-1) as { text: string }).text : '', reply);
    assert.match(contentsOf(answered(server).at(-1))[0] ?? '', /1\. One: keep to metric units\./);
  });
}
