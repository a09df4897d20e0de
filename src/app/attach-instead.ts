import { join } from 'node:path';
import type { Surroundings } from '../app.ts';
import { isAppError } from '../base/errors.ts';
import { createTerminalChannel } from '../channels/terminal.ts';
import type { App, OpenOptions } from '../cli/app-port.ts';
import { attachApp } from '../cli/attached/attach-app.ts';
import { askStatus, socketName } from '../gateway/gateway-status.ts';
import { settingsWarnings } from '../cli/service/settings-warnings.ts';
import { loadConfig } from '../store/home/config-file.ts';
import { openHome } from '../store/home/home-folder.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';

/**
 * Where the home is taken, by a gateway, that serves this terminal too; beside a program that serves nobody else, what is kept can
 * still be looked at. Whatever else is wrong stays as it is.
 */
export async function attachInstead(
  refusal: unknown,
  options: OpenOptions,
  { env, clock }: Pick<Surroundings, 'env' | 'clock'>,
): Promise<App> {
  // A gateway that runs has its settings, and no terminal makes them safer.
  const isSafe = options.purpose === 'serve' && options.start === 'safe';
  if (!isAppError(refusal, 'already-running') || isSafe) throw refusal;
  const home = await openHome(env);
  const app = await attachApp({
    socketPath: join(home.state, socketName),
    warnings: options.purpose === 'serve' ? await warningsBeside(home) : [],
    model: options.purpose === 'serve' ? options.model : undefined,
    createChannel: createTerminalChannel,
    clock,
  });
  if (app !== undefined) return app;
  if (options.purpose !== 'look') throw refusal;
  return await (await import('./look-beside.ts')).lookBeside(refusal, home, clock);
}

async function warningsBeside(home: HomeFolder): Promise<readonly string[]> {
  // One that does not answer here is told of when the terminal attaches to it.
  const status = (): ReturnType<typeof askStatus> => askStatus(home.state).catch(() => undefined);
  const findStart = async (): Promise<'usual' | 'safe'> => (await status())?.start ?? 'usual';
  return await settingsWarnings({ readSettings: () => loadConfig(home) }, findStart);
}
