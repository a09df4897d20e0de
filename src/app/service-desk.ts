import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { isAppError, systemErrorCode } from '../base/errors.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import { createLog } from '../base/log.ts';
import { createRedactor } from '../base/redact.ts';
import type { ServiceDesk } from '../cli/app-port.ts';
import type { GatewayView, StartFailure } from '../cli/service/gateway-view.ts';
import { withDefaults } from '../model/config.ts';
import type { UserConfig } from '../model/config-schema.ts';
import { loadConfig } from '../store/home/config-file.ts';
import { loadSecrets } from '../store/home/env-file.ts';
import { openHome } from '../store/home/home-folder.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';
import { createLogFile } from '../store/home/log-file.ts';
import { writeAtomically } from '../store/home/write-atomically.ts';
import { findHolder } from '../store/sqlite/ownership.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The gateway as it is seen from outside: its socket, its lock and its notes. Works beside it, and where it cannot start. */
export async function openServiceDesk({ env, clock }: Around): Promise<ServiceDesk> {
  const home = await openHome(env);
  const notePath = failureNotePath(home);
  return {
    ...viewGateway(home, await readDrain(home)),
    async noteStart(failure) {
      if (failure === undefined) return await rm(notePath, { force: true });
      const redact = createRedactor((await loadSecrets(home, env)).values());
      const log = createLog(createLogFile(home.logs), () => clock.now(), redact);
      log.write('error', 'the gateway ended', { exitCode: failure.exitCode, reason: failure.reason });
      await writeAtomically(notePath, redact(JSON.stringify({ at: new Date(clock.now()).toISOString(), ...failure })));
    },
  };
}

/** What can be seen of a gateway without touching the home, which need not exist. */
export function viewGateway(home: HomeFolder, drain: Pick<GatewayView, 'drainMs' | 'drainFrom'>): GatewayView {
  return {
    home: home.path,
    logs: home.logs,
    ...drain,
    async status() {
      const { askStatus } = await import('../gateway/gateway-status.ts');
      return await askStatus(home.state);
    },
    holder: () => findHolder(home.state),
    lastFailure: () => readFailure(failureNotePath(home)),
  };
}

function failureNotePath({ state }: HomeFolder): string {
  return join(state, 'gateway-failure.json');
}

/** Settings that are broken must not keep anyone from stopping what runs. */
async function readDrain(home: HomeFolder): Promise<Pick<GatewayView, 'drainMs' | 'drainFrom'>> {
  try {
    return { drainMs: (await loadConfig(home)).config.agent.drainMs, drainFrom: 'settings' };
  } catch (thrown) {
    if (isAppError(thrown, 'bad-config'))
      return { drainMs: withDefaults({} as UserConfig).agent.drainMs, drainFrom: 'guess' };
    throw thrown;
  }
}

function readFailure(path: string): StartFailure | undefined {
  const note = parseJson(readIfThere(path));
  if (!isJsonObject(note)) return undefined;
  const { at, exitCode, reason } = note;
  if (typeof at !== 'string' || typeof exitCode !== 'number' || typeof reason !== 'string') return undefined;
  return { at, exitCode, reason };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  }
}
