import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { openHome } from '../../../src/store/home/home-folder.ts';
import type { HomeFolder } from '../../../src/store/home/home-folder.ts';
import { LiveSettings } from '../../../src/store/home/live-settings.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

interface TempSettings extends AsyncDisposable {
  readonly home: HomeFolder;
  readonly settings: LiveSettings;
}

async function openTempSettings(text: string): Promise<TempSettings> {
  const folder = await makeTempFolder();
  const home = await openHome({ TALARIA_HOME: folder.path });
  writeFileSync(home.configFile, text);
  const settings = await LiveSettings.open(home);
  return { home, settings, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('a file that was edited is taken over with the next look, and one that was not is left alone', async () => {
  await using temp = await openTempSettings('agent: { max_turns: 5 }\n');
  const before = temp.settings.current;

  assert.deepEqual(await temp.settings.refresh(), []);
  assert.equal(temp.settings.current, before);
  writeFileSync(temp.home.configFile, 'agent: { max_turns: 6 }\n');
  assert.deepEqual(await temp.settings.refresh(), []);

  assert.equal(temp.settings.current.config.agent.maxSteps, 6);
  assert.deepEqual(temp.settings.current.user, { agent: { max_turns: 6 } });
});

test('a file of the same length that took the place of the old one is seen, too', async () => {
  await using temp = await openTempSettings('agent: { max_turns: 5 }\n');

  writeFileSync(`${temp.home.configFile}.new`, 'agent: { max_turns: 7 }\n');
  renameSync(`${temp.home.configFile}.new`, temp.home.configFile);
  await temp.settings.refresh();

  assert.equal(temp.settings.current.config.agent.maxSteps, 7);
});

for (const [what, breakIt, problem] of [
  ['is broken', (home: HomeFolder) => writeFileSync(home.configFile, 'agent: {\n'), /config\.yaml:\d+:\d+: /],
  [
    'has a wrong value',
    (home: HomeFolder) => writeFileSync(home.configFile, 'agent: { max_turns: none }\n'),
    /config\.yaml:1:21: /,
  ],
  ['is gone', (home: HomeFolder) => rmSync(home.configFile), /config\.yaml is gone; the settings from before/],
] as const) {
  test(`a file that ${what} changes nothing, which is said once; mended, it is taken over`, async () => {
    await using temp = await openTempSettings('agent: { max_turns: 5 }\n');
    const before = temp.settings.current;

    breakIt(temp.home);
    const said = await temp.settings.refresh();
    const again = await temp.settings.refresh();
    const kept = temp.settings.current;
    writeFileSync(temp.home.configFile, 'agent: { max_turns: 8 }\n');
    const mended = await temp.settings.refresh();

    assert.equal(said.length, 1);
    assert.match(said[0]?.text ?? '', problem);
    assert.match(said[0]?.text ?? '', /; the settings from before are used until this is mended$/);
    assert.deepEqual([again, mended], [[], []]);
    assert.equal(kept, before);
    assert.equal(temp.settings.current.config.agent.maxSteps, 8);
  });
}

test('a file that was emptied a moment ago may be being written, and changes nothing; one that stays empty counts', async () => {
  await using temp = await openTempSettings('agent: { max_turns: 5 }\n');
  const { configFile } = temp.home;

  writeFileSync(configFile, '');
  const atOnce = [await temp.settings.refresh(), temp.settings.current.config.agent.maxSteps];
  writeFileSync(configFile, 'agent: { max_turns: 8 }\n');
  await temp.settings.refresh();
  const written = temp.settings.current.config.agent.maxSteps;
  writeFileSync(configFile, '');
  await temp.settings.refresh();
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(configFile, longAgo, longAgo);
  await temp.settings.refresh();

  assert.deepEqual(atOnce, [[], 5]);
  assert.equal(written, 8);
  assert.deepEqual(temp.settings.current.user ?? {}, {});
});

test('an unknown key is said when it comes, and not again with every edit', async () => {
  await using temp = await openTempSettings('speed: fast\n');

  writeFileSync(temp.home.configFile, 'speed: fast\ncolour: blue\n');
  const first = await temp.settings.refresh();
  writeFileSync(temp.home.configFile, '# in a hurry\nspeed: faster\ncolour: blue\n');
  const second = await temp.settings.refresh();

  assert.deepEqual(
    first.map(({ text }) => text),
    [`${temp.home.configFile}:2:1: unknown key colour is ignored`],
  );
  assert.deepEqual(second, []);
  assert.equal(first[0]?.stands(), true);
  writeFileSync(temp.home.configFile, 'speed: fast\n');
  await temp.settings.refresh();
  assert.equal(first[0]?.stands(), false);
});

test('what a change by the program finds in the file is said by the next look, once', async () => {
  await using temp = await openTempSettings('model: { default: a }\n');
  writeFileSync(temp.home.configFile, 'model: { default: a }\ncolour: blue\n');

  await temp.settings.change([{ path: ['model'], values: { default: 'b' } }]);
  const first = await temp.settings.refresh();
  const second = await temp.settings.refresh();

  assert.deepEqual(
    first.map(({ text }) => text),
    [`${temp.home.configFile}:2:1: unknown key colour is ignored`],
  );
  assert.deepEqual(second, []);
});

test('whoever looks while the file is being read gets what was read', async () => {
  await using temp = await openTempSettings('agent: { max_turns: 5 }\n');
  writeFileSync(temp.home.configFile, 'agent: { max_turns: 6 }\n');

  const first = temp.settings.refresh();
  await temp.settings.refresh();
  const seen = temp.settings.current.config.agent.maxSteps;
  await first;

  assert.equal(seen, 6);
});

test('a change by the program is written and holds at once', async () => {
  await using temp = await openTempSettings('# mine\nmodel: { default: a }\n');

  await temp.settings.change([{ path: ['model'], values: { default: 'b' } }]);

  assert.equal(temp.settings.current.config.model.default, 'b');
  assert.match(readFileSync(temp.home.configFile, 'utf8'), /^# mine\n/);
});
