import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortId } from '../../../src/base/ids.ts';
import type { SessionSummary } from '../../../src/cli/sessions/session-summary.ts';
import { says } from '../../support/model-script.ts';
import { anna } from '../../support/telegram-server.ts';
import { openGatewayDesk } from '../gateway/gateway-desk.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';
import type { Terminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test(
  'a chat that is left names the command that leads back to its own session, and none where nothing was said or it is elsewhere now',
  { skip },
  async () => {
    await using bench = await openGatewayDesk(() => says('Hello.'), [anna.id]);
    const gateway = await bench.start();
    const { desk, telegram } = bench;
    telegram.say('from afar');
    await telegram.whenShown(anna.id, (texts) => texts.length > 0);
    await using first = openTerminal(desk, []);
    await say(first, 'the first');
    await using second = openTerminal(desk, []);
    await say(second, 'the second');
    const { stdout } = await desk.run(['sessions', 'list', '--json']);
    const { sessions } = JSON.parse(stdout) as { readonly sessions: readonly SessionSummary[] };
    const [, older = '', afar = ''] = sessions.map(({ id }) => shortId(id));

    const overtaken = await leave(first);
    await second.enter('/new');
    await second.shows(/The old one is ses_\w+\.\n›$/);
    const empty = await leave(second);
    await using again = openTerminal(desk, ['-r', older]);
    await again.shows(prompt);
    const newest = await leave(again);
    await using taken = openTerminal(desk, ['-r', afar]);
    await taken.shows(prompt);
    telegram.say(`/resume ${afar}`);
    await taken.shows(/is on Telegram now/);
    const takenBack = await leave(taken);
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    await using elsewhere = openTerminal(desk, ['-r', afar]);
    await elsewhere.shows(prompt);
    const ofTelegram = await leave(elsewhere);

    assert.deepEqual(
      { overtaken, empty, newest, takenBack, ofTelegram },
      {
        overtaken: `talaria -r ${older}`,
        empty: 'nothing',
        newest: 'talaria -c',
        takenBack: 'nothing',
        ofTelegram: `talaria -r ${afar}`,
      },
    );
  },
);

test('a chat that could not begin leaves nothing to come back to', { skip }, async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'anthropic' } });
  await using terminal = openTerminal(desk, []);

  const screen = await terminal.shows(/\[ended with [1-9]/);

  assert.match(screen, /^talaria: the provider anthropic has no key/);
});

async function say(terminal: Terminal, words: string): Promise<void> {
  await terminal.shows(prompt);
  await terminal.enter(words);
  await terminal.shows(/Hello\.\n›$/);
}

async function leave(terminal: Terminal): Promise<string> {
  await terminal.press('C-d');
  const screen = await terminal.shows(/\[ended with 0\]/);
  return /^To continue this session: (.*)$/m.exec(screen)?.[1] ?? 'nothing';
}
