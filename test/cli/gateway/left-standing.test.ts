import assert from 'node:assert/strict';
import { readFile, watch } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../src/base/json.ts';
import { callsTool, says } from '../../support/model-script.ts';
import { anna } from '../../support/telegram-server.ts';
import type { TelegramServer } from '../../support/telegram-server.ts';
import type { ShownMessage } from '../../support/telegram-server-chats.ts';
import { openGatewayDesk } from './gateway-desk.ts';

function isQuestion({ buttons }: ShownMessage): boolean {
  return buttons !== undefined;
}

function isStatus({ text }: ShownMessage): boolean {
  return text === '⏳ waiting for your answer (question below)';
}

function firstButton(telegram: TelegramServer): string {
  const [button] = telegram.shown(anna.id).find(isQuestion)?.buttons?.inline_keyboard.flat() ?? [];
  return button && 'callback_data' in button ? button.callback_data : '';
}

function isOver(texts: readonly string[]): boolean {
  return texts.length === 3 && texts.includes('Done.') && texts.some((text) => text.endsWith('Allowed.'));
}

/** Resolves once the program has written down so many of the messages that the next run is to look after. */
async function whenNoted(home: string, count: number): Promise<void> {
  const folder = join(home, 'state');
  const countNoted = async (): Promise<number> => {
    const [line = ''] = (await readFile(join(folder, 'live-messages.json'), 'utf8').catch(() => '')).split('\n');
    const noted = parseJson(line);
    return Array.isArray(noted) ? noted.length : 0;
  };
  const changes = watch(folder)[Symbol.asyncIterator]();
  while ((await countNoted()) < count) await changes.next();
  await changes.return?.();
}

test('after kill -9 a question is asked anew, the old one has no buttons and says so, and no status line is left', async () => {
  await using bench = await openGatewayDesk(
    [callsTool('terminal', { command: 'touch made' }), says('Done.')],
    [anna.id],
  );
  const { telegram, desk } = bench;
  const first = await bench.start();
  telegram.say('make a file');
  await whenNoted(desk.home, 2);
  await telegram.whenShown(anna.id, () => telegram.shown(anna.id).some(isStatus));
  const before = telegram.shown(anna.id);
  first.child.kill('SIGKILL');
  await first.ended;

  const second = await bench.start();
  const old = before.find(isQuestion)?.message_id;
  const isAskedAnew = (): boolean => {
    const shown = telegram.shown(anna.id);
    const isMarked = shown.some(({ message_id: id, text }) => id === old && text.endsWith('\n\nAsked anew below.'));
    return isMarked && shown.length === 3 && shown.some(isQuestion) && shown.some(isStatus);
  };
  await telegram.whenShown(anna.id, isAskedAnew);
  const anew = telegram.shown(anna.id);
  telegram.press(firstButton(telegram));
  const ended = await telegram.whenShown(anna.id, isOver);
  second.child.kill('SIGTERM');
  await second.ended;

  assert.deepEqual([before.length, before.filter(isQuestion).length, before.filter(isStatus).length], [2, 1, 1]);
  const stillThere = anew.filter(({ message_id: id }) => before.some((each) => each.message_id === id));
  assert.deepEqual(
    stillThere.map((message) => [message.message_id, isQuestion(message)]),
    [[old, false]],
  );
  assert.match(ended[0] ?? '', /Asked anew below\.$/);
  assert.match(ended[1] ?? '', /Allowed\.$/);
  assert.deepEqual([ended[2], telegram.shown(anna.id).filter(isQuestion)], ['Done.', []]);
});
