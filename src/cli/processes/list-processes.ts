import { shortId } from '../../base/ids.ts';
import { chooseShown, describeStanding } from '../../gateway/shown-processes.ts';
import type { ShownProcess } from '../../model/background.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { clip, oneLine } from '../render/one-line.ts';
import { toRecord } from './process-record.ts';

const mostEnded = 5;
const longestCommand = 200;

/** The background processes of all sessions. */
export const listProcesses: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const all = (await deps.openProcesses()).list();
  const shown = chooseShown(all, args.has('all') ? Infinity : mostEnded);
  const more = all.length - shown.length;
  if (args.has('json')) stdout.write(`${JSON.stringify({ ok: true, processes: shown.map(toRecord), more })}\n`);
  else if (shown.length === 0) stderr.write('There are no background processes.\n');
  else stdout.write(renderProcesses(shown, stdout.isTTY ? stdout.columns : undefined));
  // Beside the list, so that whoever reads it line by line reads processes alone.
  if (more > 0 && !args.has('json')) stderr.write(`… and ${more} more that ended: --all\n`);
  return exitCodes.done;
};

/** One line a process; on a screen what does not fit its width is cut off. Pure. */
function renderProcesses(processes: readonly ShownProcess[], width: number | undefined): string {
  const standings = processes.map(describeStanding);
  const standingWidth = Math.max(...standings.map((standing) => standing.length));
  return processes
    .map(({ id, sessionId, command }, index) => {
      const standing = (standings[index] ?? '').padEnd(standingWidth);
      const line = `${id}  ${standing}  ${shortId(sessionId)}  ${oneLine(command, longestCommand)}`;
      return `${clip(line, width ?? Infinity)}\n`;
    })
    .join('');
}
