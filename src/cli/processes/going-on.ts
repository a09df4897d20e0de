import type { SessionId } from '../../base/ids.ts';
import { countProcesses, isRunning, nameProcesses } from '../../gateway/shown-processes.ts';
import type { ShownProcess } from '../../model/background.ts';
import type { CliDeps } from '../app-port.ts';
import { neutralise } from '../render/neutralise.ts';

/** What a session leaves running, for whoever leaves; undefined where it is nothing. */
export async function findGoingOn(sessionId: SessionId, deps: CliDeps): Promise<string | undefined> {
  return describeGoingOn((await deps.openProcesses()).list(sessionId));
}

/** What runs on, in one line; undefined where nothing does. Pure. */
function describeGoingOn(processes: readonly ShownProcess[]): string | undefined {
  const running = processes.filter(isRunning);
  if (running.length === 0) return undefined;
  const verb = running.length === 1 ? 'goes on' : 'go on';
  return `${countProcesses(running.length)} ${verb}: ${neutralise(nameProcesses(running))}; see: talaria processes`;
}
