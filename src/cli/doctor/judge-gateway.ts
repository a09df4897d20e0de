import { localTime } from '../../base/local-time.ts';
import { longestSocketPath } from '../../gateway/socket-path.ts';
import type { GatewayView, StartFailure } from '../service/gateway-view.ts';
import type { Found } from '../service/find-gateway.ts';
import type { ServiceKeeper, ServiceState } from '../service/service-keeper.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { Finding } from './finding.ts';

/** The service of this system, as far as it could be asked. */
export type ServiceFacts =
  | { readonly type: 'unknown-system' }
  | { readonly type: 'silent'; readonly problem: string }
  | (ServiceState &
      Pick<ServiceKeeper, 'name' | 'unit' | 'path'> & {
        readonly type: 'asked';
        readonly lingerCommand: string | undefined;
      });

export interface GatewayFacts {
  readonly found: Found;
  readonly service: ServiceFacts;
  readonly failure: StartFailure | undefined;
  /** The version of the program that looks. */
  readonly version: string;
  readonly platform: NodeJS.Platform;
  readonly socket: string;
}

/** Asks the system about our service. It may have none, or be silent. */
export async function lookAtService(
  find: (view: GatewayView) => Promise<ServiceKeeper | undefined>,
  view: GatewayView,
): Promise<ServiceFacts> {
  const keeper = await find(view);
  if (keeper === undefined) return { type: 'unknown-system' };
  const silence = await keeper.problem();
  if (silence !== undefined) return { type: 'silent', problem: silence };
  const { name, unit, path } = keeper;
  const state = await keeper.state();
  return { type: 'asked', name, unit, path, ...state, lingerCommand: await keeper.lingerCommand() };
}

/** Pure. */
export function judgeGateway(facts: GatewayFacts): readonly Finding[] {
  const { found, failure, service } = facts;
  return [
    ...judgeRunning(found, facts.version),
    ...(found.type === 'running' || failure === undefined ? [] : [judgeFailure(failure, service)]),
    ...judgeService(service),
    ...judgeSocket(facts),
  ];
}

function judgeRunning(found: Found, version: string): readonly Finding[] {
  switch (found.type) {
    case 'running': {
      const { pid, since, start } = found.status;
      const safe = start === 'safe' ? ', in a safe start' : '';
      const running: Finding = { level: 'fine', name: 'running', text: `pid ${pid}, since ${localTime(since)}${safe}` };
      return found.status.version === version ? [running] : [running, judgeVersion(found.status.version, version)];
    }
    case 'silent':
      return [
        {
          level: 'broken',
          name: 'running',
          text: `pid ${found.pid} holds the home and does not answer`,
          fix: 'talaria gateway restart',
        },
      ];
    case 'other':
      return [
        {
          level: 'note',
          name: 'running',
          text: `no; a chat or another command uses the home (pid ${found.pid}, since ${localTime(found.since)})`,
        },
      ];
    case 'nothing':
      return [{ level: 'note', name: 'running', text: 'no', fix: 'talaria gateway start' }];
  }
}

function judgeVersion(running: string, ours: string): Finding {
  const text = `it is ${running === '' ? 'another one' : running}, and this program is ${ours}`;
  return { level: 'hint', name: 'version', text, fix: 'talaria gateway restart' };
}

/** Where a service should have it running, that it does not is what is broken. */
function judgeFailure({ at, reason }: StartFailure, service: ServiceFacts): Finding {
  const isExpected = service.type === 'asked' && service.isEnabled;
  return {
    level: isExpected ? 'broken' : 'hint',
    name: 'last start',
    text: `failed, ${localTime(at)}: ${reason}`,
    fix: 'talaria gateway run',
  };
}

function judgeService(service: ServiceFacts): readonly Finding[] {
  const install = 'talaria gateway install';
  switch (service.type) {
    case 'unknown-system':
      return [{ level: 'note', name: 'service', text: 'this system has none that we know' }];
    case 'silent':
      return [{ level: 'note', name: 'service', text: service.problem }];
    case 'asked':
      break;
  }
  const { name, unit, path, file, isEnabled, lingerCommand } = service;
  if (file === 'none') return [{ level: 'note', name: 'service', text: `${name}: not installed`, fix: install }];
  if (file === 'foreign') {
    const text = `${name}: ${path} was written by someone else, and is left alone`;
    return [
      {
        level: 'hint',
        name: 'service',
        text,
        fix: `mv ${quoteForShell(path)} ${quoteForShell(`${path}.old`)} && ${install}`,
      },
    ];
  }
  const states = [
    isEnabled ? undefined : 'does not start by itself',
    file === 'outdated' ? 'was written by another version' : undefined,
  ].filter((state) => state !== undefined);
  const judged: Finding =
    states.length === 0
      ? { level: 'fine', name: 'service', text: `${name}: ${unit} starts by itself` }
      : { level: 'hint', name: 'service', text: `${name}: ${unit} ${states.join(', and ')}`, fix: install };
  return lingerCommand === undefined ? [judged] : [judged, judgeLingering(lingerCommand)];
}

function judgeLingering(command: string): Finding {
  return { level: 'hint', name: 'lingering', text: 'off: it runs only while you are logged in', fix: command };
}

function judgeSocket({ socket, platform }: GatewayFacts): readonly Finding[] {
  const longest = longestSocketPath(platform);
  if (Buffer.byteLength(socket) <= longest) return [];
  const text = `no terminal can attach to a gateway here: ${socket} is longer than the ${longest} bytes that the system allows`;
  return [{ level: 'hint', name: 'socket', text, fix: 'TALARIA_HOME=FOLDER talaria' }];
}
