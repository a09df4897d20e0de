import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderUnicodeCompact } from 'uqr';
import { isJsonObject } from '../../../src/base/json.ts';
import { says } from '../../support/model-script.ts';
import { anna, ben, botToken } from '../../support/telegram-server.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';
import { openGatewayDesk } from './gateway-desk.ts';
import type { GatewayDesk } from './gateway-desk.ts';

const setUp = ['gateway', 'setup', '--token-stdin'];

function codeIn(text: string): string {
  const [, code] = /https:\/\/t\.me\/talaria_bot\?start=([0-9a-f]{32})\b/.exec(text) ?? [];
  assert.ok(code, text);
  return code;
}

async function envFile({ desk }: GatewayDesk): Promise<string> {
  return await readFile(join(desk.home, '.env'), 'utf8');
}

test('a token that is pasted is checked and kept, and the link makes the owner of a gateway that is started later', async () => {
  await using bench = await openGatewayDesk(() => says('At your service.'), []);
  const { desk, telegram } = bench;
  await writeFile(join(desk.home, '.env'), 'OTHER=1 # mine\nTELEGRAM_BOT_TOKEN=old\n', { mode: 0o644 });

  const { code, stdout, stderr } = await desk.run(setUp, { input: `${botToken}\n` });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(await envFile(bench), `OTHER=1 # mine\nTELEGRAM_BOT_TOKEN=${botToken}\n`);
  assert.equal((await stat(join(desk.home, '.env'))).mode & 0o777, 0o600);
  assert.ok(!stdout.includes(botToken));
  await bench.start('from-home');
  telegram.say(`/start ${codeIn(stdout)}`);
  await telegram.whenShown(anna.id, (texts) => texts.at(-1)?.includes('you are its owner') === true);
  telegram.say('hello');
  await telegram.whenShown(anna.id, (texts) => texts.at(-1) === 'At your service.');

  assert.match(
    (await bench.run('gateway', 'people')).stdout,
    /^telegram:42 {2}owner, let in \d{4}-\d\d-\d\d {2}Anna @anna\n$/,
  );
});

test('while the gateway runs the link makes an owner, once; whoever comes behind is a stranger', async () => {
  await using bench = await openGatewayDesk(() => says('At your service.'), []);
  const { desk, telegram } = bench;
  await bench.start();

  const { stdout } = await desk.run(setUp, { input: botToken });
  telegram.updates.order = 'doubled';
  telegram.say(`/start ${codeIn(stdout)}`);
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);
  telegram.say(`/start ${codeIn(stdout)}`, { from: ben });
  const offered = await telegram.whenShown(ben.id, (texts) => texts.length > 0);

  assert.match(offered.join('\n'), /^This link was used or is too old: .*\nYou have no access to this assistant\./);
  assert.equal(telegram.shown(anna.id).length, 1);
  assert.match((await bench.run('gateway', 'people')).stdout, /^telegram:42 {2}owner, .*\n$/);
});

test('setup says whether the gateway that runs serves the bot by itself', async () => {
  await using bench = await openGatewayDesk([], []);
  const { desk } = bench;

  const alone = await desk.run(setUp, { input: botToken });
  await bench.start('from-home');
  const same = await desk.run(setUp, { input: botToken });
  await writeFile(join(desk.home, '.env'), 'TELEGRAM_BOT_TOKEN=999:AAF-of_some_other_bot-ABCDEFGHIJK\n');
  const other = await desk.run(setUp, { input: botToken });

  assert.match(alone.stdout, /The bot answers while `talaria gateway` runs\.\n$/);
  assert.match(same.stdout, /The gateway that runs\nserves the bot within seconds, if it does not yet\.\n$/);
  assert.match(other.stdout, /serves another bot\nuntil it is started again: talaria gateway restart\n$/);
});

test('the code of the link is nowhere in the home', async () => {
  await using bench = await openGatewayDesk([], []);

  const { stdout } = await bench.desk.run(setUp, { input: botToken });

  const database = await readFile(join(bench.desk.home, 'state', 'talaria.db'));
  assert.ok(!database.includes(codeIn(stdout)) && database.length > 0);
});

test('a token that Telegram refuses changes nothing', async () => {
  await using bench = await openGatewayDesk([], []);
  const { desk } = bench;
  await writeFile(join(desk.home, '.env'), 'TELEGRAM_BOT_TOKEN=old\n');

  const refused = await desk.run(setUp, { input: botToken.replace('test', 'rest') });
  const nonsense = await desk.run(setUp, { input: 'hello' });
  const nothing = await desk.run(setUp, { input: '' });
  const nobody = await desk.run(['gateway', 'setup']);

  assert.deepEqual([refused.code, nonsense.code, nothing.code, nobody.code], [1, 1, 2, 2]);
  assert.match(refused.stderr, /does not accept the bot token.*\nNothing was changed\.\n$/);
  assert.match(nobody.stderr, /--token-stdin/);
  assert.equal(await envFile(bench), 'TELEGRAM_BOT_TOKEN=old\n');
});

test('a token in the environment that hides the one that is kept is said', async () => {
  await using bench = await openGatewayDesk([], []);
  const env = { TELEGRAM_BOT_TOKEN: botToken.replace('test', 'rest') };

  const { code, stderr } = await bench.desk.run(setUp, { input: botToken, env });

  assert.equal(code, 0);
  assert.match(stderr, /^The environment has another token in TELEGRAM_BOT_TOKEN/);
});

test(
  'at a terminal the token is not shown while it is typed, and the link comes with a code to scan',
  { skip: noTerminal },
  async () => {
    await using bench = await openGatewayDesk([], []);
    await using terminal = openTerminal(bench.desk, ['gateway', 'setup']);

    await terminal.shows(/The token, which is not shown:/m);
    await terminal.enter(`x\u007F${botToken}`);
    const screen = await terminal.shows(/\[ended with 0\]/);

    const picture = renderUnicodeCompact(`https://t.me/talaria_bot?start=${codeIn(screen)}`);
    for (const line of picture.split('\n')) assert.ok(screen.includes(line.trimEnd()), screen);
    assert.ok(!terminal.written.includes(botToken));
    assert.match(await envFile(bench), new RegExp(`^TELEGRAM_BOT_TOKEN=${botToken}$`, 'm'));
  },
);

test(
  'at a terminal Ctrl-C ends the asking, and Enter keeps the token that is there',
  { skip: noTerminal },
  async () => {
    await using bench = await openGatewayDesk([], []);
    await writeFile(join(bench.desk.home, '.env'), `TELEGRAM_BOT_TOKEN=${botToken}\n`, { mode: 0o600 });
    await using given = openTerminal(bench.desk, ['gateway', 'setup']);
    await given.shows(/or Enter to keep the one that is there:/m);
    await given.press('Enter');
    codeIn(await given.shows(/\[ended with 0\]/));

    await using left = openTerminal(bench.desk, ['gateway', 'setup']);
    await left.shows(/or Enter to keep/);
    await left.press('C-c');

    await left.shows(/\[ended with 130\]/);
  },
);

test('a new token of the same bot is taken up at the next start, and the conversation goes on', async () => {
  await using bench = await openGatewayDesk((_request, index) => says(`Answer ${index + 1}.`), [anna.id]);
  const { desk, telegram } = bench;
  await desk.run(setUp, { input: botToken });
  const first = await bench.start('from-home');
  telegram.say('remember the milk');
  await telegram.whenShown(anna.id, (texts) => texts.at(-1) === 'Answer 1.');
  first.child.kill('SIGTERM');
  await first.ended;

  const setAgain = await desk.run(setUp, { input: telegram.rotateToken() });
  await bench.start('from-home');
  telegram.say('what did I say?');
  await telegram.whenShown(anna.id, (texts) => texts.at(-1) === 'Answer 2.');

  assert.equal(setAgain.code, 0);
  const said = desk.server.requests.at(-1)?.json?.['messages'];
  const contents = Array.isArray(said) ? said.map((message) => (isJsonObject(message) ? message['content'] : '')) : [];
  assert.deepEqual(contents.slice(-3), ['remember the milk', 'Answer 1.', 'what did I say?']);
});

test(
  'who takes access from the last owner is asked first; where nobody can be asked it takes -y',
  { skip: noTerminal },
  async () => {
    await using bench = await openGatewayDesk([], []);
    const { desk, telegram } = bench;
    await bench.start();
    const { stdout } = await desk.run(setUp, { input: botToken });
    telegram.say(`/start ${codeIn(stdout)}`);
    await telegram.whenShown(anna.id, (texts) => texts.length > 0);

    const unasked = await desk.run(['gateway', 'revoke', '42'], { input: 'y\n' });
    await using denied = openTerminal(desk, ['gateway', 'revoke', '42']);
    await denied.shows(/telegram:42 is the last who owns the bot\. Take access back all the same\? \[y\/N\]/);
    await denied.press('Enter');
    await denied.shows(/Nothing was changed\.\n\[ended with 1\]/);
    const still = await bench.run('gateway', 'people');
    await using agreed = openTerminal(desk, ['gateway', 'revoke', '42']);
    await agreed.shows(/\[y\/N\]/);
    await agreed.enter('y');
    await agreed.shows(/telegram:42 has no access any more\.[^]*\[ended with 0\]/);

    assert.equal(unasked.code, 2);
    assert.match(
      unasked.stderr,
      /is the last who owns the bot, and nobody can be asked here; say -y to take access back/,
    );
    assert.match(still.stdout, /^telegram:42 {2}owner, /);
    assert.match((await bench.run('gateway', 'people')).stdout, /^Nobody has access/);
  },
);

test('gateway revoke -y asks nobody, also where no gateway runs', async () => {
  await using bench = await openGatewayDesk([], []);
  const { desk, telegram } = bench;
  const gateway = await bench.start();
  const { stdout } = await desk.run(setUp, { input: botToken });
  telegram.say(`/start ${codeIn(stdout)}`);
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);
  gateway.child.kill('SIGTERM');
  await gateway.ended;

  const refused = await bench.run('gateway', 'revoke', '42');
  const revoked = await bench.run('gateway', 'revoke', '42', '-y');

  assert.equal(refused.code, 2);
  assert.match(revoked.stdout, /^telegram:42 has no access any more\. Nobody is left /);
});
