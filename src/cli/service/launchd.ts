import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { renderPlist } from './render-plist.ts';
import type { ProgramEnd, RunProgram } from './run-program.ts';
import { compareFile, refuseForeign, removeServiceFile, serviceName, writeServiceFile } from './service-file.ts';
import type { ServiceFacts, ServiceKeeper } from './service-keeper.ts';

/** An agent of launchd, in the user's login session. */
export function openLaunchd(facts: ServiceFacts, run: RunProgram): ServiceKeeper {
  const label = serviceName('org.talaria.gateway', facts);
  const path = join(facts.userHome, 'Library', 'LaunchAgents', `${label}.plist`);
  const domain = `gui/${facts.uid}`;
  const target = `${domain}/${label}`;
  const control = (...args: readonly string[]): Promise<ProgramEnd> => run('launchctl', args);
  const insist = async (...args: readonly string[]): Promise<void> => requireDone(await control(...args), args);
  const isLoaded = async (): Promise<boolean> => isDone(await control('print', target));
  const unload = async (): Promise<void> => {
    if (await isLoaded()) await insist('bootout', target);
  };
  return {
    name: 'launchd',
    unit: label,
    path,
    outputHint: `tail ${join(facts.logs, 'gateway.out')}`,
    problem: async () => describeProblem(await control('print', domain)),
    async state() {
      return { file: await compareFile(path, renderPlist(label, facts), facts), isEnabled: await isLoaded() };
    },
    trouble: () => Promise.resolve(undefined),
    lingerCommand: () => Promise.resolve(undefined),
    async install() {
      await refuseForeign(path);
      // What is loaded is what it was loaded from: a changed file counts only after that.
      await unload();
      await writeServiceFile(path, renderPlist(label, facts));
      await insist('bootstrap', domain, path);
      return ['It runs from now on, and starts when you log in.'];
    },
    async uninstall() {
      await refuseForeign(path);
      await unload();
      await removeServiceFile(path);
      return [];
    },
    async start() {
      if (!(await isLoaded())) await insist('bootstrap', domain, path);
      await insist('kickstart', target);
    },
    // It ends with code 0, after which it is not brought back. Where nothing runs there is nothing to signal, which is as well.
    async stop() {
      await control('kill', 'SIGTERM', target);
    },
  };
}

function describeProblem(end: ProgramEnd): string | undefined {
  if (end.type === 'missing') return 'there is no launchd here';
  return end.code === 0 ? undefined : 'there is no login session on this Mac that a service could run in';
}

function requireDone(end: ProgramEnd, args: readonly string[]): void {
  if (isDone(end)) return;
  const reason = end.type === 'missing' ? 'there is no launchctl here' : end.stderr.trim();
  throw new AppError('unsupported', `launchctl ${args.join(' ')} failed: ${reason}`);
}

function isDone(end: ProgramEnd): boolean {
  return end.type === 'ended' && end.code === 0;
}
