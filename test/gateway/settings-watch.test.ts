import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { PersonId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { SettingsWatch } from '../../src/gateway/settings-watch.ts';
import type { Inbound } from '../../src/model/channel.ts';
import { openHome } from '../../src/store/home/home-folder.ts';
import { LiveSettings } from '../../src/store/home/live-settings.ts';
import { InProcessSignals } from '../../src/store/in-process-signals.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const address = { platform: 'telegram', account: 'bot', chat: '7', thread: '' } as const;
const press: Inbound = { type: 'choice', address, person: 'telegram:7' as PersonId, digest: 'x', choice: 0 };

test('what is wrong with an edit is told to the next one, where it could not be told who has access', async () => {
  await using folder = await makeTempFolder();
  const home = await openHome({ TALARIA_HOME: folder.path });
  writeFileSync(home.configFile, 'agent: { max_turns: 5 }\n');
  const settings = await LiveSettings.open(home);
  await using house = await openStoreHouse(sqlite);
  const told: string[] = [];
  const watch = new SettingsWatch({
    settings,
    store: house.store,
    signals: new InProcessSignals(),
    tellings: { tell: (_address, text) => void told.push(text) },
    announce: async (text) => void told.push(text),
    clock: house.clock,
    log: silentLog,
  });
  writeFileSync(home.configFile, 'agent: [\n');
  await house.store.close();

  await assert.rejects(watch.judge(press), { code: 'store-closed' });
  await watch.look(address);
  await watch.look(address);

  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /config\.yaml:.* the settings from before are used until this is mended$/);
});
