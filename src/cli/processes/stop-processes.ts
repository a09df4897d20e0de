import { describeStopping } from '../../gateway/shown-processes.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { requireProcess } from './require-process.ts';

/** Ends background processes. All of them are found before the first is ended. */
export const stopProcesses: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const desk = await deps.openProcesses();
  const all = desk.list();
  const processes = new Set(args.words.map((written) => requireProcess(written, all)));
  let code: number = exitCodes.done;
  for (const process of processes) {
    const stopping = await desk.stop(process, 'elsewhere');
    const isStuck = stopping.type === 'still-running';
    (isStuck ? stderr : stdout).write(`${neutralise(describeStopping(stopping, process))}\n`);
    if (isStuck) code = exitCodes.failed;
  }
  return code;
};
