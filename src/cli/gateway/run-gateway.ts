import { systemClock } from '../../base/clock.ts';
import type { App, ProcessPort } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';

const longestStopMs = 15_000;

/** Serves every channel of the settings until it is told to stop. What is unfinished then goes on at the next start. */
export const runGateway: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  using stops = watchForStop(deps.process);
  const report = (line: string): void => void stderr.write(`${neutralise(line)}\n`);
  const app = await deps.openApp({ purpose: 'serve', model: args.value('model') });
  try {
    for (const warning of app.warnings) report(warning);
    const { gateway, channels, model, warnings } = await app.serveChannels(report);
    for (const warning of warnings) report(warning);
    stdout.write(`Serving ${channels.join(', ')} with ${neutralise(model.name)}. Ctrl-C stops it.\n`);
    const isTold = await Promise.race([stops.told.then(() => true), gateway.whenDeaf().then(() => false)]);
    if (isTold) stdout.write('Stopping. What is unfinished goes on at the next start.\n');
    return isTold ? exitCodes.done : exitCodes.notConfigured;
  } finally {
    await closeInTime(app, report);
  }
};

interface Stops extends Disposable {
  readonly told: Promise<void>;
}

/** The first signal stops it in good order, a second one at once: the log is all that the next start needs. */
function watchForStop(process: ProcessPort): Stops {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isTold = false;
  const listening = process.onStopSignal(() => {
    if (isTold) process.exitNow(exitCodes.terminated);
    isTold = true;
    resolve();
  });
  return { told: promise, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

async function closeInTime(app: App, report: (line: string) => void): Promise<void> {
  const closed = app[Symbol.asyncDispose]().then(() => 'closed' as const);
  const late = systemClock.sleep(longestStopMs).then(() => 'late' as const);
  if ((await Promise.race([closed, late])) === 'late') report('Something does not end; it is left behind.');
}
