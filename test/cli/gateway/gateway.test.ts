import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { anna, ben } from '../../support/telegram-server.ts';
import { openDesk } from '../support/program.ts';
import { openGatewayDesk } from './gateway-desk.ts';

test('without a channel the gateway says what is missing and where it goes', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ web: { enabled: false } });

  const { code, stderr } = await desk.run(['gateway']);

  assert.equal(code, 78);
  assert.match(
    stderr,
    /no channel is set up: put TELEGRAM_BOT_TOKEN=… into .*\.env; @BotFather.*; web\.enabled is false/,
  );
});

test('the gateway answers on Telegram until it is told to stop, and ends in good order', async () => {
  await using bench = await openGatewayDesk(() => says('Hello, Anna.'), [anna.id]);
  const gateway = await bench.start();

  bench.telegram.say('hi');
  await bench.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  gateway.child.kill('SIGTERM');
  const { code, stdout, stderr } = await gateway.ended;

  assert.equal(code, 0);
  assert.equal(stderr, '');
  assert.equal(
    stdout,
    'Serving telegram with custom:scripted. Ctrl-C stops it.\nStopping. What is unfinished goes on at the next start.\n',
  );
  assert.deepEqual(
    bench.telegram.shown(anna.id).map(({ text }) => text),
    ['Hello, Anna.'],
  );
});

test('told to stop while a turn runs, the gateway says what it waits for and how to end it at once', async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openGatewayDesk(async () => {
    await gate.promise;
    return says('Hello, Anna.');
  }, [anna.id]);
  const gateway = await bench.start();
  bench.telegram.say('hi');
  await bench.desk.server.whenRequested(1);

  gateway.child.kill('SIGINT');
  await gateway.prints(/Waiting for 1 turn that runs\. A second Ctrl-C ends it at once\.\n/);
  gate.resolve();

  assert.equal((await gateway.ended).code, 0);
});

test('a gateway that is killed before it has answered answers once after the next start', async () => {
  const held = Promise.withResolvers<void>();
  await using bench = await openGatewayDesk(
    async (_request, index) => {
      if (index === 0) await held.promise;
      return says('Here I am.');
    },
    [anna.id],
  );
  const { telegram, desk } = bench;
  const first = await bench.start();
  telegram.say('are you there?');
  await desk.server.whenRequested(1);
  first.child.kill('SIGKILL');
  await first.ended;
  held.resolve();

  await bench.start();
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);
  telegram.say('thanks');
  const shown = await telegram.whenShown(anna.id, (texts) => texts.length > 1);

  assert.deepEqual(shown, ['Here I am.', 'Here I am.']);
  assert.equal(desk.server.requests.length, 3);
});

test('an approval is given by a button to the program that runs', async () => {
  await using bench = await openGatewayDesk(
    [callsTool('terminal', { command: 'touch made' }), says('Done.')],
    [anna.id],
  );
  const { telegram } = bench;
  await bench.start();

  telegram.say('make a file');
  const hasButtons = (): boolean => telegram.shown(anna.id).some(({ buttons }) => buttons !== undefined);
  await telegram.whenShown(anna.id, hasButtons);
  const buttons = telegram.shown(anna.id).flatMap((message) => message.buttons?.inline_keyboard.flat() ?? []);
  const [allow] = buttons.flatMap((button) => ('callback_data' in button ? [button.callback_data] : []));
  telegram.press(allow ?? '');

  await telegram.whenShown(anna.id, (texts) => texts.includes('Done.'));
});

test('a stranger is let in, listed and shut out again from the command line, while the gateway runs', async () => {
  await using bench = await openGatewayDesk(() => says('Welcome.'), []);
  const { telegram } = bench;
  await bench.start();
  telegram.say('hello', { from: ben });
  const [offer = ''] = await telegram.whenShown(ben.id, (texts) => texts.length > 0);
  const [code = ''] = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer) ?? [];

  const wrong = await bench.run('gateway', 'pair', 'AAAA-AAAA');
  const paired = await bench.run('gateway', 'pair', code.toLowerCase());
  telegram.say('hello again', { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.at(-1) === 'Welcome.');
  const people = await bench.run('gateway', 'people');
  const revoked = await bench.run('gateway', 'revoke', '43');

  assert.deepEqual([wrong.code, paired.code, people.code, revoked.code], [1, 0, 0, 0]);
  assert.match(people.stdout, /^telegram:43 {2}guest, let in /);
  assert.equal(revoked.stdout, 'telegram:43 has no access any more.\n');
});

test('where no gateway runs, people are looked after all the same', async () => {
  await using bench = await openGatewayDesk([], [anna.id]);

  const people = await bench.run('gateway', 'people');
  const revoked = await bench.run('gateway', 'revoke', '42');

  assert.equal(people.stdout, 'telegram:42  by the settings\n');
  assert.equal(revoked.code, 1);
  assert.match(revoked.stderr, /telegram\.allow/);
});

test('a token that Telegram refuses ends the gateway with the reason', async () => {
  await using bench = await openGatewayDesk([], [anna.id]);
  bench.telegram.revokeToken();

  const { code, stderr } = await bench.run('gateway');

  assert.equal(code, 78);
  assert.match(stderr, /^telegram is not served any more: Telegram does not accept the bot token/);
});

test('a second signal ends the gateway at once', async () => {
  await using bench = await openGatewayDesk([], [anna.id]);
  const gateway = await bench.start();
  // What it asks Telegram for at its end is never answered, so that it is still ending when the second signal comes.
  const gate = Promise.withResolvers<void>();
  bench.telegram.say('/help');
  await bench.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  bench.telegram.fail('getUpdates', { type: 'waits', gate: gate.promise });
  const ending = gateway.prints(/Stopping\./);

  gateway.child.kill('SIGTERM');
  await ending;
  gateway.child.kill('SIGTERM');
  const [code] = (await once(gateway.child, 'close')) as [number | null];
  gate.resolve();

  assert.equal(code, 143);
});
