import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isJsonObject, parseJson } from '../../../src/base/json.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { lookUntil } from '../../support/left-behind.ts';
import { callsTool, says, staysSilent } from '../../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../../support/model-script.ts';
import { anna, ben } from '../../support/telegram-server.ts';
import type { TelegramServer } from '../../support/telegram-server.ts';
import type { Started } from '../support/program.ts';
import { openGatewayDesk } from './gateway-desk.ts';

const putAside =
  'Put aside: the program ended twice in a row while it worked on this. What was done so far is kept: say “go on” to try once more, or go on with something else.';

/** Never answers what Anna says first, and everything else at once. */
const stuckOnAnna: ModelScript = (request) => (lastSaid(request) === 'a riddle' ? staysSilent() : says('Solved.'));

const answersTheFourth: ModelScript = (_request, index) => (index < 3 ? staysSilent() : says('At last.'));

function lastSaid({ json }: SeenRequest): string | undefined {
  const messages = json?.['messages'] as readonly { readonly content: string }[];
  return messages.at(-1)?.content;
}

async function end({ child, ended }: Started, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await ended;
}

test('a turn that was live at two kills in a row is put aside at the third start; others are served, and it can go on', async () => {
  await using bench = await openGatewayDesk(stuckOnAnna, [anna.id, ben.id]);
  const { telegram, desk } = bench;
  let gateway = await bench.start();
  telegram.say('a riddle');
  await desk.server.whenRequested(1);
  await end(gateway, 'SIGKILL');
  gateway = await bench.start();
  await desk.server.whenRequested(2);
  await end(gateway, 'SIGKILL');

  gateway = await bench.start();
  await telegram.whenShown(anna.id, (texts) => texts.includes(putAside));
  telegram.say('hello', { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.includes('Solved.'));
  await end(gateway, 'SIGKILL');
  gateway = await bench.start();
  telegram.say('go on');
  const shown = await telegram.whenShown(anna.id, (texts) => texts.includes('Solved.'));
  await end(gateway, 'SIGTERM');

  assert.deepEqual(shown, [putAside, 'Solved.']);
  const asked = desk.server.requests.map(lastSaid);
  assert.deepEqual(asked, ['a riddle', 'a riddle', 'hello', 'go on']);
  assert.match(desk.server.requests.at(-1)?.body ?? '', /a riddle/);
});

async function askStatus(telegram: TelegramServer): Promise<string> {
  const before = telegram.shown(anna.id).filter(({ text }) => isStatus(text)).length;
  telegram.say('/status');
  const shown = await telegram.whenShown(anna.id, (texts) => texts.filter(isStatus).length > before);
  return shown.findLast(isStatus) ?? '';
}

const isStatus = (text: string): boolean => text.startsWith('• session ');

async function readLog(home: string): Promise<readonly JsonObject[]> {
  const lines = (await readFile(join(home, 'logs', 'talaria.log'), 'utf8')).split('\n');
  return lines.map(parseJson).filter(isJsonObject);
}

/** Whether a process with this among its words runs. */
async function runs(words: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  return stdout.includes(words);
}

test('the command of a turn that is put aside is ended and named, the log says both, and the model that nobody stopped it', async () => {
  // A number of seconds that no other test sleeps.
  const sleep = `sleep 98${process.pid}`;
  const script = [callsTool('terminal', { command: `echo begun; ${sleep}` }), says('Going on.')];
  await using bench = await openGatewayDesk(script, [anna.id]);
  const { telegram, desk } = bench;
  let gateway = await bench.start();
  telegram.say('/yolo on');
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('From now on')));
  telegram.say('work');
  await lookUntil(() => runs(sleep), Boolean);
  await end(gateway, 'SIGKILL');
  gateway = await bench.start();
  const status = await lookUntil(
    () => askStatus(telegram),
    (text) => text.includes('it still runs'),
  );
  const ranOn = await runs(sleep);
  await end(gateway, 'SIGKILL');

  gateway = await bench.start();
  const shown = await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('Put aside')));
  const isLeft = await runs(sleep);
  telegram.say('go on');
  await telegram.whenShown(anna.id, (texts) => texts.includes('Going on.'));
  await end(gateway, 'SIGTERM');

  assert.match(status, /^• state it still runs; waiting for it, \d+ s: `echo begun; sleep 98\d+`$/m);
  assert.equal(ranOn, true);
  assert.equal(isLeft, false);
  const notice = shown.find((text) => text.startsWith('Put aside'));
  assert.equal(notice, `${putAside} \`echo begun; ${sleep}\` still ran and was ended.`);
  const messages = desk.server.requests.at(-1)?.json?.['messages'] as readonly JsonObject[];
  assert.equal(
    messages.find(({ role }) => role === 'tool')?.['content'],
    'begun\n[stopped by the program when it put the turn aside, exit code 130]',
  );
  const log = await readLog(desk.home);
  const told = log.filter(({ level }) => level === 'warn').map(({ message, crashes }) => ({ message, crashes }));
  assert.deepEqual(
    told.filter(({ message }) => message !== 'yolo was switched on'),
    [
      { message: 'the program ended in the middle of a turn', crashes: 1 },
      { message: 'the program ended in the middle of a turn', crashes: 2 },
      { message: 'a turn was put aside', crashes: undefined },
    ],
  );
});

test('a graceful stop is no crash: a turn that was live at three of them goes on', async () => {
  const inNoTime = { agent: { restart_drain_timeout: 0 } };
  await using bench = await openGatewayDesk(answersTheFourth, [anna.id], inNoTime);
  const { telegram, desk } = bench;

  let gateway = await bench.start();
  telegram.say('think');
  for (let stops = 1; stops <= 3; stops += 1) {
    await desk.server.whenRequested(stops);
    await end(gateway, 'SIGTERM');
    gateway = await bench.start();
  }
  const shown = await telegram.whenShown(anna.id, (texts) => texts.includes('At last.'));
  await end(gateway, 'SIGTERM');

  assert.equal(shown.at(-1), 'At last.');
  assert.equal(shown.includes(putAside), false);
});
