import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AsyncQueue } from '../../src/base/async-queue.ts';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { createTerminalChannel } from '../../src/channels/terminal.ts';
import type { TerminalInput, TerminalPort } from '../../src/model/channel.ts';
import { describeChannelConformance } from './conformance.ts';
import type { ChannelBench } from './conformance.ts';

async function openTerminal(): Promise<ChannelBench> {
  const input = new AsyncQueue<TerminalInput>();
  const seen: string[] = [];
  const port: TerminalPort = {
    asks: 'yes',
    read: () => input,
    show: (message) => Promise.resolve(void seen.push(message.text)),
    conclude: () => undefined,
  };
  const address = { platform: 'terminal', account: 'local', chat: 'one', thread: '' };
  const person = 'owner' as PersonId;
  return await Promise.resolve({
    channel: createTerminalChannel({ port, address, person, workdir: '/', newMessageId: () => newId('turn', 0) }),
    address,
    seen,
    say: (text: string) => input.push({ type: 'line', text }),
    answer: (digest: string) => input.push({ type: 'answer', digest, verdict: 'approved' }),
    [Symbol.asyncDispose]: () => Promise.resolve(input.close()),
  });
}

describeChannelConformance('the terminal', openTerminal);

test('a file that is sent to a terminal is named there', async () => {
  await using bench = await openTerminal();
  const { channel, address, seen } = bench;
  const id = newId('outbox', 0);
  const message = { id, address, kind: 'reply', text: 'Here.', copy: 'first', digest: undefined } as const;
  const files = [{ path: '/tmp/notes.txt', name: 'notes.txt', kind: 'file' }] as const;

  await channel.send({ ...message, files }, new AbortController().signal);

  assert.deepEqual(seen, ['Here.\n[a file: /tmp/notes.txt]']);
});
