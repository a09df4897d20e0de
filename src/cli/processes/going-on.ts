import type { SessionId } from '../../base/ids.ts';
import { countProcesses, isRunning } from '../../gateway/shown-processes.ts';
import type { ShownProcess } from '../../model/background.ts';
import type { CliDeps } from '../app-port.ts';
import { oneLine } from '../render/one-line.ts';

const mostNamed = 3;
const longestCommand = 40;

/** What a session leaves running, for whoever leaves; undefined where it is nothing. */
export async function findGoingOn(sessionId: SessionId, deps: CliDeps): Promise<string | undefined> {
  return describeGoingOn((await deps.openProcesses()).list(sessionId));
}

/** What runs on, in one line; undefined where nothing does. Pure. */
function describeGoingOn(processes: readonly ShownProcess[]): string | undefined {
  const running = processes.filter(isRunning);
  if (running.length === 0) return undefined;
  const named = running.slice(0, mostNamed).map(({ id, command }) => `${id} (${oneLine(command, longestCommand)})`);
  const more = running.length > mostNamed ? [`${running.length - mostNamed} more`] : [];
  const verb = running.length === 1 ? 'goes on' : 'go on';
  return `${countProcesses(running.length)} ${verb}: ${[...named, ...more].join(', ')}; see: talaria processes`;
}
