/**
 * The real `talaria gateway run` in a process of its own, with someone inside who asks for a restart as soon as it serves, as a
 * command in a chat does. Whoever is started in its stead is the usual program.
 */
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { openServiceDesk } from '../../src/app/service-desk.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { CliDeps, GatewayApp, ProcessPort } from '../../src/cli/app-port.ts';
import { runGateway } from '../../src/cli/gateway/run-gateway.ts';

const { env, stdout, stderr } = process;

type UsedOfApp = Pick<GatewayApp, 'warnings' | 'serveChannels' | 'note' | typeof Symbol.asyncDispose>;
type UsedOfProcess = Pick<
  ProcessPort,
  'stdout' | 'stderr' | 'env' | 'version' | 'program' | 'onStopSignal' | 'exitNow'
>;

const openAskingApp: CliDeps['openGateway'] = async (options) => {
  const app = await openApp(options, { env, clock: systemClock, faults: undefined });
  const used: UsedOfApp = {
    warnings: app.warnings,
    async serveChannels(report, host) {
      const served = await app.serveChannels(report, host);
      const { restart } = host;
      stdout.write(restart.type === 'unkept' ? 'Nobody would bring it back.\n' : 'Asking for a restart.\n');
      if (restart.type === 'kept') restart.begin();
      return served;
    },
    note: (line) => app.note(line),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
  return used as GatewayApp;
};

const usedOfProcess: UsedOfProcess = {
  stdout,
  stderr,
  env,
  version: '0.0.0',
  program: () => ({ node: process.execPath, script: join(import.meta.dirname, '..', '..', 'src', 'bin.ts') }),
  onStopSignal(listener) {
    process.on('SIGTERM', listener);
    return { [Symbol.dispose]: () => void process.off('SIGTERM', listener) };
  },
  exitNow: (code) => process.exit(code),
};

const deps: Pick<CliDeps, 'openGateway' | 'openServiceDesk' | 'process'> = {
  openGateway: openAskingApp,
  openServiceDesk: () => openServiceDesk({ env, clock: systemClock }),
  process: usedOfProcess as ProcessPort,
};
const args = { words: [], has: () => false, value: () => undefined, values: () => [] };
process.exit(await runGateway(args, deps as CliDeps));
