import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../../src/base/json.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { callsTool, says } from '../../support/model-script.ts';
import type { SeenRequest } from '../../support/model-script.ts';
import { findSshObstacle, openSshServer } from '../../support/ssh-server.ts';
import type { SshServer } from '../../support/ssh-server.ts';
import { openTelegramHouse } from '../../support/telegram-house.ts';
import { anna } from '../../support/telegram-server.ts';
import { openTestHouse } from '../../support/test-house.ts';

const withSsh = { skip: findSshObstacle() };

function settingsFor({ settings }: SshServer): JsonObject {
  const { host, user = '', port = 0, keyFile = '', knownHostsFile = '' } = settings;
  const ssh = { host, user, port, key_file: keyFile, known_hosts_file: knownHostsFile };
  return { terminal: { backend: 'ssh', ssh } };
}

/** What the model read last. */
function lastRead(requests: readonly SeenRequest[]): string {
  const messages = requests.at(-1)?.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '';
}

test('in the terminal the model works on the host, and whoever is asked is shown where', withSsh, async () => {
  await using server = await openSshServer();
  const asked: string[] = [];
  const script = [
    callsTool('terminal', { command: 'echo there > note' }),
    callsTool('terminal', { command: 'cat note' }),
    callsTool('terminal', { command: 'sleep 60', background: true }),
    says('Done.'),
  ];
  await using house = await openTestHouse({
    script,
    settings: settingsFor(server),
    consent: ({ text }) => {
      asked.push(text);
      return 'approved';
    },
  });

  const reply = await house.say('leave a note on the host');

  assert.equal(reply, 'Done.');
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? '', /^echo there > note\nin its starting folder on root@127\.0\.0\.1\n/m);
  assert.equal(lastRead(house.server.requests.slice(0, 3)), 'there');
  assert.match(
    lastRead(house.server.requests),
    /^ERROR: background processes run on this machine only.*nohup.*read FILE later$/,
  );
  assert.equal(await readFile(join(server.home, 'note'), 'utf8'), 'there\n');
});

test('through the gateway the model works on the host', withSsh, async () => {
  await using server = await openSshServer();
  const script = [callsTool('terminal', { command: 'pwd' }), says('There.')];
  await using house = await openTelegramHouse({ script, settings: settingsFor(server) });

  house.telegram.post({ text: 'where are you?' });
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('There.'));

  assert.match(lastRead(house.model.requests), new RegExp(`^${server.home}\n\\[this ran on root@127`));
});
