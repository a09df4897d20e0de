import { localTime } from '../../base/local-time.ts';
import type { GatewayStatus } from '../../gateway/gateway-status.ts';
import type { CliDeps, ServiceDesk } from '../app-port.ts';
import type { StartFailure } from '../service/gateway-view.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { describeTrouble, listTroubles, nameServed } from '../service/describe-channels.ts';
import { findGateway } from '../service/find-gateway.ts';
import type { Found } from '../service/find-gateway.ts';
import { settingsWarnings } from '../service/settings-warnings.ts';
import { findKeeper } from '../service/find-keeper.ts';
import type { ServiceKeeper, ServiceState } from '../service/service-keeper.ts';

/** Whether the gateway runs, as what, and what became of its last start. The exit codes are those of systemctl. */
export const showStatus: CommandFunction = async (args, deps) => {
  const desk = await deps.openServiceDesk();
  const found = await findGateway(desk);
  const service = await lookAtService(deps, desk);
  const failure = desk.lastFailure();
  const start = found.type === 'running' ? found.status.start : 'usual';
  const seen = { found, service, failure, warnings: await settingsWarnings(deps, () => start) };
  deps.process.stdout.write(args.has('json') ? renderJson(seen) : renderText(seen));
  return found.type === 'running' || found.type === 'silent' ? exitCodes.done : exitCodes.notRunning;
};

type Service =
  | (ServiceState &
      Pick<ServiceKeeper, 'name' | 'unit'> & {
        /** Why it cannot be used here; undefined where it can. */
        readonly problem: string | undefined;
        /** What went wrong with it, as the system has it. */
        readonly trouble: string | undefined;
      })
  | undefined;

async function lookAtService(deps: CliDeps, desk: ServiceDesk): Promise<Service> {
  const service = await findKeeper(deps, desk);
  if (service === undefined) return undefined;
  const { name, unit } = service;
  const [problem, trouble] = [await service.problem(), await service.trouble()];
  return { name, unit, ...(await service.state()), problem, trouble };
}

interface Seen {
  readonly found: Found;
  readonly service: Service;
  readonly failure: StartFailure | undefined;
  /** What is wrong with the settings as the file has them now. */
  readonly warnings: readonly string[];
}

function renderJson({ found, service, failure: lastFailure, ...seen }: Seen): string {
  const isRunning = found.type === 'running' || found.type === 'silent';
  const running = found.type === 'running' ? { gateway: found.status } : {};
  const troubles = found.type === 'running' ? listTroubles(found.status.channelStates) : [];
  const warnings = [...troubles, ...seen.warnings];
  const document = { ok: true, isRunning, found: found.type, ...running, service, lastFailure, warnings };
  return `${JSON.stringify(document)}\n`;
}

function renderText({ found, service, failure, warnings }: Seen): string {
  const rows: readonly (readonly [string, string])[] = [
    ['state', describeFound(found)],
    ...(found.type === 'running' ? describeRunning(found.status) : []),
    ['service', describeService(service)],
    ...(service?.trouble === undefined ? [] : [['', service.trouble] as const]),
    ...(failure === undefined ? [] : [['last failure', `${localTime(failure.at)}: ${failure.reason}`] as const]),
    ...warnings.map((warning, index) => [index === 0 ? 'settings' : '', warning] as const),
  ];
  return rows.map(([name, text]) => `${name.padEnd(14)}${neutralise(text)}\n`).join('');
}

function describeFound(found: Found): string {
  switch (found.type) {
    case 'running':
      return `${found.status.state} (pid ${found.status.pid}, since ${localTime(found.status.since)})`;
    case 'silent':
      return `running, and does not answer (pid ${found.pid})`;
    case 'other':
      return `not running; a chat or another command uses the home (pid ${found.pid}, since ${localTime(found.since)})`;
    case 'nothing':
      return 'not running';
  }
}

function describeRunning(status: GatewayStatus): readonly (readonly [string, string])[] {
  const { version, start, keeper, channelStates, model, page, pageNote, atWork } = status;
  const keptBy = keeper === 'nobody' ? 'nobody: it runs in a terminal' : keeper;
  const why = pageNote === undefined ? '' : ` (${pageNote})`;
  return [
    ['version', `${version}${start === 'safe' ? ', in a safe start' : ''}`],
    ['kept by', keptBy],
    ['channels', nameServed(channelStates)],
    ...channelStates.flatMap((state) => {
      const trouble = describeTrouble(state);
      return trouble === undefined ? [] : [[state.name, trouble] as const];
    }),
    ...(page === undefined ? [] : [['page', `${page}${why}`] as const]),
    ['model', model],
    ['at work', atWork === 1 ? '1 session' : `${atWork} sessions`],
  ];
}

function describeService(service: Service): string {
  if (service === undefined) return 'this system has none that we know';
  const { name, unit, file, isEnabled, problem } = service;
  switch (file) {
    case 'none':
      if (problem !== undefined) return `${problem}; talaria gateway start runs it in the background`;
      return `${name}: not installed (talaria gateway install)`;
    case 'foreign':
      return `${name}: ${unit} was written by someone else`;
    case 'current':
    case 'outdated': {
      if (problem !== undefined) return `${name}: ${unit}; ${problem}`;
      const renew = file === 'outdated' ? '; out of date: talaria gateway install writes it anew' : '';
      return `${name}: ${unit}, ${isEnabled ? 'starts by itself' : 'does not start by itself'}${renew}`;
    }
  }
}
