import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { User } from 'grammy/types';
import { isJsonObject } from '../../../src/base/json.ts';
import type { Json } from '../../../src/base/json.ts';
import { lookUntil } from '../../support/left-behind.ts';
import { callsTool, says } from '../../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../../support/model-script.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { openGatewayDesk } from './gateway-desk.ts';

const people: readonly User[] = [1, 2, 3].map((number) => ({
  id: 7100 + number,
  is_bot: false,
  first_name: `P${number}`,
}));

test('three commands that run when the gateway is killed run on, once each, and the next start answers with their results', async () => {
  await using folder = await makeTempFolder();
  const [ledger, go] = [join(folder.path, 'ledger'), join(folder.path, 'go')];
  await writeFile(ledger, '');
  const command = (number: string): string =>
    `echo ${number} >> '${ledger}'; echo begun ${number}; until [ -e '${go}' ]; do sleep 0.05; done; echo ended ${number}; exit ${number}`;
  const answer = ({ json }: SeenRequest): ModelStep => {
    const messages = (Array.isArray(json?.['messages']) ? json['messages'] : []) as readonly Json[];
    const [, number = ''] = /run number (\d)/.exec(JSON.stringify(messages)) ?? [];
    const last = messages.at(-1);
    if (!isJsonObject(last) || last['role'] !== 'tool') return callsTool('terminal', { command: command(number) });
    return says(`It said: ${typeof last['content'] === 'string' ? last['content'] : 'nothing'}`);
  };
  const ids = people.map(({ id }) => id);
  await using bench = await openGatewayDesk(answer, ids);
  const { telegram } = bench;
  const first = await bench.start();
  for (const from of people) {
    telegram.say('/yolo on', { from });
    await telegram.whenShown(from.id, (texts) => texts.some((text) => text.startsWith('From now on')));
  }
  for (const [index, from] of people.entries()) telegram.say(`run number ${index + 1}`, { from });
  await lookUntil(
    () => readFile(ledger, 'utf8'),
    (text) => text.split('\n').length === 4,
  );

  first.child.kill('SIGKILL');
  await first.ended;
  await writeFile(go, '');
  const second = await bench.start();
  const replies = await Promise.all(
    ids.map(async (id) => {
      const shown = await telegram.whenShown(id, (texts) => texts.some((text) => /It said: .*exit code/s.test(text)));
      return shown.find((text) => text.includes('It said:'));
    }),
  );
  second.child.kill('SIGTERM');
  await second.ended;

  const expected = [1, 2, 3].map((number) => `It said: begun ${number}\nended ${number}\n[exit code ${number}]`);
  assert.deepEqual(replies, expected);
  assert.deepEqual((await readFile(ledger, 'utf8')).split('\n').toSorted(), ['', '1', '2', '3']);
});
