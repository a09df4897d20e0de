import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { describeTrouble, troubleProperties } from './describe-trouble.ts';
import { renderUnit } from './render-unit.ts';
import type { ProgramEnd, RunProgram } from './run-program.ts';
import { compareFile, refuseForeign, removeServiceFile, serviceName, writeServiceFile } from './service-file.ts';
import type { ServiceFacts, ServiceKeeper } from './service-keeper.ts';

/** A user unit of systemd: it needs no root, and lives in the user's own folders. */
export function openSystemd(facts: ServiceFacts, run: RunProgram): ServiceKeeper {
  const unit = `${serviceName('talaria-gateway', facts)}.service`;
  const path = join(facts.configFolder ?? join(facts.userHome, '.config'), 'systemd', 'user', unit);
  const control = (...args: readonly string[]): Promise<ProgramEnd> => run('systemctl', ['--user', ...args]);
  const insist = async (...args: readonly string[]): Promise<void> => requireDone(await control(...args), args);
  const render = async (): Promise<string> =>
    renderUnit({ ...facts, unit, systemdVersion: readVersion(await run('systemctl', ['--version'])) });
  const trouble = async (): Promise<string | undefined> => {
    const shown = await control('show', `--property=${troubleProperties}`, unit);
    return shown.type === 'missing' ? undefined : describeTrouble(shown.stdout);
  };
  return {
    name: 'systemd',
    unit,
    path,
    outputHint: `journalctl --user -u ${unit}`,
    problem: async () => describeProblem(await control('show', '--property=Version')),
    async state() {
      const file = await compareFile(path, await render(), facts);
      return { file, isEnabled: isDone(await control('is-enabled', unit)) };
    },
    trouble,
    lingerCommand: async () => ((await isLingering(facts, run)) ? undefined : lingerCommand(facts)),
    async install() {
      await writeServiceFile(path, await render());
      await insist('daemon-reload');
      // By its path: a folder that only this shell calls XDG_CONFIG_HOME is linked to, where the manager looks.
      await insist('enable', path);
      return [await keepAfterLogout(facts, run)];
    },
    async uninstall() {
      await refuseForeign(path);
      await insist('stop', unit);
      await insist('disable', unit);
      // One that failed would stay in the list of failures, without its file. One that did not refuses this.
      await control('reset-failed', unit);
      await removeServiceFile(path);
      await insist('daemon-reload');
      const lingers = await isLingering(facts, run);
      return lingers ? ['Your services still go on after you log out; loginctl disable-linger ends that.'] : [];
    },
    async start() {
      const end = await control('start', unit);
      // The unit knows better than the command why it does not run.
      if ((await trouble()) === undefined) requireDone(end, ['start', unit]);
    },
    stop: () => insist('stop', unit),
  };
}

/** Without lingering systemd ends all services of a user with the last login, and starts none before the first. */
async function keepAfterLogout(facts: ServiceFacts, run: RunProgram): Promise<string> {
  if (await isLingering(facts, run)) return 'It starts with the machine and goes on after you log out.';
  if (isDone(await run('loginctl', ['enable-linger'])))
    return 'It starts with the machine and goes on after you log out: lingering was turned on for you.';
  return `It runs only while you are logged in. To change that: ${lingerCommand(facts)}`;
}

function lingerCommand({ user }: ServiceFacts): string {
  return `sudo loginctl enable-linger ${user}`;
}

async function isLingering({ user }: ServiceFacts, run: RunProgram): Promise<boolean> {
  const shown = await run('loginctl', ['show-user', user, '--property=Linger']);
  return shown.type === 'ended' && shown.stdout.trim() === 'Linger=yes';
}

function describeProblem(end: ProgramEnd): string | undefined {
  if (end.type === 'missing') return 'there is no systemd here';
  if (end.code === 0) return undefined;
  return `systemd does not answer for this user: ${firstLine(end.stderr)}`;
}

function readVersion(end: ProgramEnd): number {
  return end.type === 'missing' ? 0 : Number(/^systemd (\d+)/.exec(end.stdout)?.[1] ?? 0);
}

function requireDone(end: ProgramEnd, args: readonly string[]): void {
  if (isDone(end)) return;
  const reason = end.type === 'missing' ? 'there is no systemctl here' : firstLine(end.stderr);
  throw new AppError('unsupported', `systemctl --user ${args.join(' ')} failed: ${reason}`);
}

function isDone(end: ProgramEnd): boolean {
  return end.type === 'ended' && end.code === 0;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
