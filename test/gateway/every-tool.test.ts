import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  badUses,
  doesAll,
  everyToolSettings,
  findMisread,
  goodUses,
  offeredTools,
  startToolSite,
} from '../support/every-tool.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('on Telegram the model uses every tool that it is offered, and is told what is wrong with every bad call', async () => {
  await using notes = await makeTempFolder();
  await using site = await startToolSite();
  const good = goodUses(site, { answered: /^The user answers: green$/, sent: /^Handed over to telegram:42\./ });
  const uses = [...good, ...badUses(site)];
  await using house = await openTelegramHouse({ script: doesAll(uses), settings: everyToolSettings(site, notes.path) });
  const { telegram } = house;
  const showing = (part: RegExp): Promise<readonly string[]> =>
    telegram.whenShown(anna.id, (texts) => texts.some((text) => part.test(text)));

  telegram.say('/yolo on');
  await showing(/From now on nothing is asked/);
  telegram.say('go');
  await showing(/Which colour\?/);
  telegram.say('green');
  await showing(/A word besides\./);
  await showing(/That was all\.|That did not work/);

  assert.deepEqual(findMisread(uses, house.model.requests), []);
  assert.deepEqual(new Set(good.map(({ tool }) => tool)), new Set(offeredTools(house.model.requests[0])));
});
