import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import type { AgentOptions } from 'node:https';

import { trustExtraCertificates } from './http-certificates.ts';
import { decideWay } from './http-proxy.ts';
import type { Environment, Way } from './http-proxy.ts';

/** What `node:http` and `node:https` have in common. */
interface HttpModule {
  readonly Agent: new (options: AgentOptions) => Agent;
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
}

export interface HttpClient {
  readonly agent: Agent;
  readonly request: HttpModule['request'];
  /** What failures to connect should mention. */
  readonly proxy: string | undefined;
}

// A server closes idle connections without asking. One that we closed first cannot fail under the next request.
const idleConnectionMs = 15_000;

/** Connections of a protocol, by one way; `environment` names certificates of one's own, where there may be some. */
export function openClient(protocol: string, way: Way, environment: Environment | undefined): HttpClient {
  const { Agent, request } = loadClient(protocol);
  const secureContext =
    protocol === 'https:' && environment !== undefined ? trustExtraCertificates(environment) : undefined;
  const agent = new Agent({
    keepAlive: true,
    timeout: idleConnectionMs,
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(way.type === 'proxied' ? { proxyEnv: way.proxyEnv } : {}),
  });
  return { agent, request, proxy: way.type === 'proxied' ? way.setting : undefined };
}

/** The way to one server, through the proxies and certificates of this machine, for libraries that bring no way of theirs. */
export function openAgent(address: string, environment: Environment): Agent {
  const url = new URL(address);
  return openClient(url.protocol, decideWay(url, environment), environment).agent;
}

// Reached through the process: an import would run every lazy export of `node:http`, and one of them is the whole of the
// built-in fetch, which costs ten times as much as the rest.
function loadClient(protocol: string): HttpModule {
  if (protocol === 'http:') return process.getBuiltinModule('node:http');
  if (protocol === 'https:') return process.getBuiltinModule('node:https');
  throw new TypeError(`the address of a model begins with http:// or https://, not ${protocol}`);
}
