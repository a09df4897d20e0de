import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { PersonId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { SettingsWatch } from '../../src/gateway/settings-watch.ts';
import type { Inbound } from '../../src/model/channel.ts';
import type { Store } from '../../src/model/store.ts';
import { openHome } from '../../src/store/home/home-folder.ts';
import { LiveSettings } from '../../src/store/home/live-settings.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

function chatOf(person: string, platform = 'telegram'): Pick<Inbound, 'address' | 'person'> {
  const address = { platform, account: 'bot', chat: person, thread: '' };
  return { address, person: `${platform}:${person}` as PersonId };
}

const [anna, annaAtPage, ben, atTerminal] = [chatOf('7'), chatOf('1', 'webchat'), chatOf('8'), chatOf('9', 'terminal')];
const press = (from: typeof anna): Inbound => ({ type: 'choice', ...from, digest: 'x', choice: 0 });

interface WatchBench extends AsyncDisposable {
  readonly watch: SettingsWatch;
  readonly store: Store;
  readonly settings: LiveSettings;
  /** What was told, by whom it was told to. */
  readonly told: Record<'7' | '1' | '8' | '9' | '-5' | 'runner', string[]>;
  readonly write: (settings: string) => void;
  readonly setHome: (chat: Pick<Inbound, 'address'>) => void;
}

/** Anna, whom the settings let in, is the owner, and her private chat is the home chat. Ben was let in as a guest. */
async function openWatch(): Promise<WatchBench> {
  const resources = new AsyncDisposableStack();
  const home = await openHome({ TALARIA_HOME: resources.use(await makeTempFolder()).path });
  const write = (text: string): void => writeFileSync(home.configFile, `telegram: { allow: [7] }\n${text}`);
  write('');
  const settings = await LiveSettings.open(home);
  const { store, clock } = resources.use(await openStoreHouse(sqlite));
  await store.people.offer({ digest: 'd', person: ben.person, at: clock.now(), expiresAt: clock.now() + 1000 });
  await store.people.admit('d', clock.now());
  const told: WatchBench['told'] = { 7: [], 1: [], 8: [], 9: [], '-5': [], runner: [] };
  let homeChat = anna.address;
  const setHome: WatchBench['setHome'] = ({ address }) => void (homeChat = address);
  const watch = new SettingsWatch({
    settings,
    store,
    shutOut: () => Promise.resolve(),
    tellings: { tell: ({ chat }, text) => void told[chat as '7'].push(text) },
    report: (line) => void told.runner.push(line),
    findHomeChat: () => Promise.resolve(homeChat),
    clock,
    log: silentLog,
  });
  return { watch, store, settings, told, write, setHome, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

test('what is wrong with an edit is told to the next one, where it could not be told who has access', async () => {
  await using bench = await openWatch();
  bench.write('agent: [\n');
  await bench.store.close();

  await assert.rejects(bench.watch.judge(press(ben)), { code: 'store-closed' });
  await bench.watch.look(annaAtPage);
  await bench.watch.look(annaAtPage);

  assert.equal(bench.told[1].length, 1);
  assert.match(bench.told[1][0] ?? '', /config\.yaml:.* the settings from before are used until this is mended$/);
});

for (const [what, edit, words] of [
  ['a broken edit', 'agent: [\n', /until this is mended$/],
  ['an edit with an unknown key', 'colour: blue\n', /unknown key colour is ignored$/],
] as const) {
  test(`each chat of the owner is told of ${what} once, the home chat included, and a guest is not`, async () => {
    await using bench = await openWatch();
    bench.write(edit);

    // A guest is the first to speak: whoever runs the program is told, and the home chat.
    await bench.watch.judge(press(ben));
    await bench.watch.look(ben);
    for (const chat of [anna, annaAtPage, anna, annaAtPage, ben]) await bench.watch.judge(press(chat));

    const counts = Object.fromEntries(Object.entries(bench.told).map(([who, lines]) => [who, lines.length]));
    assert.deepEqual(counts, { 7: 1, 1: 1, 8: 0, 9: 0, '-5': 0, runner: 1 });
    for (const line of [...bench.told[7], ...bench.told[1], ...bench.told.runner]) assert.match(line, words);
  });
}

const annaInGroup = { ...anna, address: { ...anna.address, chat: '-5', member: anna.person } };

test('a group is not told of a broken edit, though an owner speaks there or has a turn there', async () => {
  await using bench = await openWatch();
  bench.write('agent: [\n');

  await bench.watch.judge(press(annaInGroup));
  await bench.watch.look(annaInGroup);
  await bench.watch.look({ ...annaInGroup, address: { ...anna.address, chat: '-5' } });

  const counts = Object.fromEntries(Object.entries(bench.told).map(([who, lines]) => [who, lines.length]));
  assert.deepEqual(counts, { 7: 1, 1: 0, 8: 0, 9: 0, '-5': 0, runner: 1 });
});

test('a group that becomes the home chat hears what is wrong with the settings by then, once', async () => {
  await using bench = await openWatch();
  bench.write('agent: [\n');
  await bench.watch.judge(press(annaInGroup));

  bench.setHome({ address: { ...anna.address, chat: '-5' } });
  for (const chat of [annaInGroup, anna, annaInGroup]) await bench.watch.judge(press(chat));

  assert.deepEqual([bench.told['-5'].length, bench.told[7].length], [1, 1]);
});

test('the home chat hears of a broken edit that an owner was told elsewhere, once', async () => {
  await using bench = await openWatch();
  bench.write('limits: { per_day: banana }\n');

  await bench.watch.look(atTerminal);
  await bench.watch.look(annaAtPage);
  const before = [...bench.told[7]];
  await bench.watch.judge(press(anna));

  assert.equal(before.length, 1);
  const counts = Object.fromEntries(Object.entries(bench.told).map(([who, lines]) => [who, lines.length]));
  assert.deepEqual(counts, { 7: 1, 1: 1, 8: 0, 9: 1, '-5': 0, runner: 0 });
  assert.match(bench.told[7][0] ?? '', /limits\.per_day must be a number/);
});

test('what was mended before a chat spoke is not told there, and what another edit left as it was is', async () => {
  await using bench = await openWatch();
  bench.write('colour: blue\nspeed: fast\n');
  await bench.watch.judge(press(anna));

  await bench.settings.change([{ path: ['agent'], values: { max_turns: 5 } }]);
  bench.write('speed: fast\n');
  await bench.watch.judge(press(annaAtPage));

  assert.equal(bench.told[7].length, 2);
  assert.equal(bench.told[1].length, 1);
  assert.match(bench.told[1][0] ?? '', /unknown key speed is ignored/);
});
