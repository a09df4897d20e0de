import type { CliDeps } from '../app-port.ts';
import type { GatewayView } from './gateway-view.ts';
import { createRunProgram } from './run-program.ts';
import type { ServiceFacts, ServiceKeeper } from './service-keeper.ts';

/** What the system has for keeping a program running; undefined for a system that we know nothing of. */
export async function findKeeper(
  { process }: Pick<CliDeps, 'process'>,
  desk: GatewayView,
): Promise<ServiceKeeper | undefined> {
  const facts = await gatherFacts(process, desk);
  if (process.platform === 'linux') {
    const run = createRunProgram(withRuntimeFolder(process.env, facts));
    return (await import('./systemd.ts')).openSystemd(facts, run);
  }
  if (process.platform === 'darwin')
    return (await import('./launchd.ts')).openLaunchd(facts, createRunProgram(process.env));
  return undefined;
}

/** systemctl finds the manager of the user there, and not every shell names it: those of an agent, of cron and of su do not. */
function withRuntimeFolder(env: CliDeps['process']['env'], { uid }: ServiceFacts): CliDeps['process']['env'] {
  return notEmpty(env['XDG_RUNTIME_DIR']) === undefined ? { ...env, XDG_RUNTIME_DIR: `/run/user/${uid}` } : env;
}

/** The service, where it has our service and can be asked. */
export async function findInstalled(
  deps: Pick<CliDeps, 'process'>,
  desk: GatewayView,
): Promise<ServiceKeeper | undefined> {
  const service = await findKeeper(deps, desk);
  if (service === undefined || (await service.state()).file === 'none') return undefined;
  return (await service.problem()) === undefined ? service : undefined;
}

async function gatherFacts({ env, program }: CliDeps['process'], desk: GatewayView): Promise<ServiceFacts> {
  const { userInfo } = await import('node:os');
  const { username, uid, homedir } = userInfo();
  const { node, script } = program();
  return {
    node,
    script,
    home: desk.home,
    logs: desk.logs,
    userHome: notEmpty(env['HOME']) ?? homedir,
    user: username,
    uid,
    path: notEmpty(env['PATH']) ?? '/usr/local/bin:/usr/bin:/bin',
    configFolder: notEmpty(env['XDG_CONFIG_HOME']),
    language: notEmpty(env['LANG']),
    drainMs: desk.drainMs,
    drainFrom: desk.drainFrom,
  };
}

function notEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
