import type { Clock } from '../../../base/clock.ts';
import { describeError } from '../../../base/errors.ts';
import type { LoggingIn, LoginWishes } from '../../../model/mcp-logins.ts';
import type { McpServerSettings } from '../../../model/mcp-settings.ts';
import { connectServer, locate } from '../connect-server.ts';
import type { ConnectDeps } from '../connect-server.ts';
import { openWays } from '../http-transport.ts';
import { logIn } from './log-in.ts';

export interface LogInAtDeps extends Omit<ConnectDeps, 'onTools' | 'login' | 'clock'> {
  readonly clock: Clock;
}

/** Logs a person in at a server of the settings. */
export async function logInAt(
  name: string,
  server: McpServerSettings,
  wishes: LoginWishes,
  deps: LogInAtDeps,
): Promise<LoggingIn> {
  const { place } = server;
  if (place.type !== 'http') return failed('it is a program on this machine; a login is for servers over HTTP');
  if (Object.keys(place.headers).some((header) => header.toLowerCase() === 'authorization'))
    return failed('the settings send it an Authorization header of your own; without that one can log in');
  try {
    const { address, headers } = locate(place, deps);
    using ways = openWays(address, headers, deps.openAgent);
    const { signal } = new AbortController();
    return await logIn(name, { ...place, url: address.href }, wishes, {
      ...deps,
      fetch: ways.fetch,
      async knock(login) {
        const connection = await connectServer(name, server, { ...deps, login, onTools: () => undefined }, signal);
        await connection.close();
      },
    });
  } catch (thrown) {
    return failed(describeError(thrown));
  }
}

function failed(problem: string): LoggingIn {
  return { type: 'failed', problem };
}
