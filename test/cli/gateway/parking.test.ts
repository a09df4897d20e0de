import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says, staysSilent } from '../../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../../support/model-script.ts';
import { anna, ben } from '../../support/telegram-server.ts';
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
