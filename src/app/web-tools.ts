import type { SearchSettings } from '../model/search-settings.ts';
import type { ToolboxOptions } from '../tools/create-toolbox.ts';
import type { Way } from '../tools/web/ask-server.ts';
import type { KeySources } from './models.ts';

/** What the tools for the web go by: the settings of the moment, the keys, and this machine's way to the network. */
export function openWebTools(
  { secrets, printedKeys }: KeySources,
  settings: () => SearchSettings,
): NonNullable<ToolboxOptions['web']> {
  const secret = (name: string): string | undefined => secrets.get(name);
  return {
    settings,
    secret,
    credentials: () => [...secrets.credentials(), ...printedKeys.values()],
    network: {
      openWay: (url) => openWay(url, secret),
      async resolve(hostname) {
        const { lookup } = await import('node:dns/promises');
        return await lookup(hostname, { all: true });
      },
    },
  };
}

/** A way of its own for every request: a connection that is kept would outlive the check of its address. */
export async function openWay(url: URL, environment: (name: string) => string | undefined): Promise<Way> {
  const { openClient } = await import('../providers/http-agent.ts');
  const { decideWay } = await import('../providers/http-proxy.ts');
  const way = decideWay(url, environment);
  const { agent, request } = openClient(url.protocol, way, environment);
  return {
    type: way.type,
    request: (to, options) => request(to, { ...options, agent }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
