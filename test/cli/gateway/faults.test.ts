import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { User } from 'grammy/types';
import { isJsonObject } from '../../../src/base/json.ts';
import type { SeenRequest } from '../../support/model-script.ts';
import { says } from '../../support/model-script.ts';
import { badGateway, dropsAfter, dropsBefore, floods, internalError } from '../../support/telegram-server-faults.ts';
import type { TelegramFault } from '../../support/telegram-server-faults.ts';
import type { TelegramServer } from '../../support/telegram-server.ts';
import { openGatewayDesk } from './gateway-desk.ts';

const size = { chats: 50, messages: 10 };
const mark = '(sent again: you may have seen this)\n';
const none: TelegramFault = { type: 'waits', gate: Promise.resolve() };
const faults = [
  none,
  dropsAfter,
  none,
  none,
  floods(1),
  none,
  internalError,
  none,
  dropsBefore,
  none,
  badGateway,
  none,
];

function echo(request: SeenRequest): ReturnType<typeof says> {
  const messages = request.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const said = isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '?';
  return says(`re: ${said}`);
}

/** Someone who says the next thing once the last was answered. */
async function converse(telegram: TelegramServer, from: User): Promise<void> {
  for (let number = 1; number <= size.messages; number += 1) {
    telegram.say(String(number), { from });
    await telegram.whenShown(from.id, (texts) => texts.some((text) => text.endsWith(`re: ${number}`)));
  }
}

/** What was answered, without the copies that are marked as such. */
function answers(telegram: TelegramServer, { id }: User): readonly string[] {
  const texts = telegram.shown(id).map(({ text }) => text);
  return texts.filter((text, index) => !(text.startsWith(mark) && texts[index - 1] === text.slice(mark.length)));
}

const title =
  'through faults, duplicates and two kills every message is answered once, in order; a second copy is marked';

test(title, { timeout: 240_000 }, async () => {
  const people = Array.from({ length: size.chats }, (_, index) => ({
    id: 1000 + index,
    is_bot: false,
    first_name: 'P',
  }));
  await using bench = await openGatewayDesk(
    echo,
    people.map(({ id }) => id),
  );
  const { telegram } = bench;
  telegram.updates.order = 'doubled';
  telegram.fail('sendMessage', ...Array.from({ length: 4 }, () => faults).flat());
  telegram.fail('getUpdates', none, dropsBefore, none, dropsAfter, none, floods(1), none, badGateway);
  let gateway = await bench.start();

  const talks = Promise.all(people.map((person) => converse(telegram, person)));
  for (const share of [0.3, 0.6]) {
    await telegram.whenCalled('sendMessage', Math.round(size.chats * size.messages * share));
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    gateway = await bench.start();
  }
  await talks;
  gateway.child.kill('SIGTERM');
  await gateway.ended;

  const expected = Array.from({ length: size.messages }, (_, index) => `re: ${index + 1}`);
  for (const person of people) {
    assert.deepEqual(
      answers(telegram, person).map((text) => text.replace(mark, '')),
      expected,
    );
  }
});
