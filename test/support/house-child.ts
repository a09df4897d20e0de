/**
 * The real app in a process of its own, for tests that kill it. Arguments: home, workdir, the fault point to die at (or `-`), and
 * how often the point is passed before that. Says one message, or goes on with what is unsettled, and prints what is shown.
 */
import { dirname } from 'node:path';
import { openApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AsyncQueue } from '../../src/base/async-queue.ts';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { Outbound, TerminalInput } from '../../src/model/channel.ts';

const [home = '', workdir = '', fatalPoint = '-', passes = '0', message = ''] = process.argv.slice(2);
const address = { platform: 'terminal', account: 'local', chat: 'child', thread: '' };
const person = 'owner' as PersonId;
let passed = 0;

const app = await openApp(
  { purpose: 'serve', model: undefined },
  {
    env: { TALARIA_HOME: home, PATH: process.env['PATH'], HOME: dirname(workdir) },
    clock: systemClock,
    faults: {
      reach(point) {
        if (point === fatalPoint && passed++ === Number(passes)) process.kill(process.pid, 'SIGKILL');
        return Promise.resolve();
      },
    },
  },
);
const input = new AsyncQueue<TerminalInput>();
const port = {
  asks: 'yes' as const,
  read: () => input,
  show(shown: Outbound) {
    if (shown.kind === 'question' && shown.digest !== undefined) {
      input.push({ type: 'answer', digest: shown.digest, verdict: 'approved' });
    }
    process.stdout.write(`${JSON.stringify({ kind: shown.kind, text: shown.text, copy: shown.copy })}\n`);
    return Promise.resolve();
  },
  conclude: () => undefined,
};
const { gateway } = await app.serveTerminal({ port, address, person, workdir });
const session = await app.store.sessions.at({ address, person, workdir });
if (message === '') {
  await gateway.deliver(address);
  gateway.resume(session.id);
} else {
  const key = {
    platform: 'terminal',
    account: 'local',
    chat: 'child',
    messageId: newId('turn', Date.now()),
    revision: 0,
  };
  const parts = [{ type: 'text' as const, text: message }];
  await gateway.takeIn({ type: 'message', key, address, person, parts, workdir });
}
await gateway.whenIdle(session.id);
input.close();
await app[Symbol.asyncDispose]();
