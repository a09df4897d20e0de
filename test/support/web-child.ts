/**
 * The real gateway with its page in a process of its own, for tests that kill it. Arguments: home, and the fault point to die at.
 * Prints where it listens.
 */
import { dirname } from 'node:path';
import { openApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/clock.ts';

const [home = '', fatalPoint = ''] = process.argv.slice(2);

const app = await openApp(
  { purpose: 'serve', model: undefined },
  {
    env: { TALARIA_HOME: home, PATH: process.env['PATH'], HOME: dirname(home) },
    clock: systemClock,
    faults: {
      reach(point) {
        if (point === fatalPoint) process.kill(process.pid, 'SIGKILL');
        return Promise.resolve();
      },
    },
  },
);
const { web } = await app.serveChannels((line) => process.stderr.write(`${line}\n`));
process.stdout.write(`${web?.origin}\n`);
