import { describeStanding } from '../../gateway/shown-processes.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readLimit } from '../read-limit.ts';
import { neutralise } from '../render/neutralise.ts';
import { toRecord } from './process-record.ts';
import { requireProcess } from './require-process.ts';

/** One background process, and the end of what it has put out. */
export const showProcess: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const lines = readLimit(args);
  const desk = await deps.openProcesses();
  const process = requireProcess(args.words[0] ?? '', desk.list());
  const output = await desk.readEnd(process, lines);
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: true, process: toRecord(process), output })}\n`);
    return exitCodes.done;
  }
  const { id, command, workdir, sessionId } = process;
  // Beside the output, so that it can be piped on.
  stderr.write(
    neutralise(`${id}  ${describeStanding(process)}\n${command}\nin ${workdir}, for session ${sessionId}\n\n`),
  );
  if (output !== '') stdout.write(`${neutralise(output)}\n`);
  return exitCodes.done;
};
