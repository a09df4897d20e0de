import { countProcesses, isRunning } from '../../gateway/shown-processes.ts';
import type { ShownProcess } from '../../model/background.ts';
import { oneLine } from '../render/one-line.ts';

const mostNamed = 3;
const longestCommand = 40;

/** What runs on when a chat is left, in one line; undefined where nothing does. Pure. */
export function describeGoingOn(processes: readonly ShownProcess[]): string | undefined {
  const running = processes.filter(isRunning);
  if (running.length === 0) return undefined;
  const named = running.slice(0, mostNamed).map(({ id, command }) => `${id} (${oneLine(command, longestCommand)})`);
  const more = running.length > mostNamed ? [`${running.length - mostNamed} more`] : [];
  const verb = running.length === 1 ? 'goes on' : 'go on';
  return `${countProcesses(running.length)} ${verb}: ${[...named, ...more].join(', ')}; see: talaria processes`;
}
