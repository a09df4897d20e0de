import { describeFacts } from '../../agents/model-facts.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeAnswer, findModel, tellFailure, timed } from './check-model.ts';

/** Makes a model the default, once it has answered. Where it does not, the settings stay as they are. */
export const setModel: CommandFunction = async (args, deps) => {
  const { process } = deps;
  const [name = ''] = args.words;
  const format = args.has('json') ? 'json' : 'text';
  const desk = await deps.openModels();
  const runtime = await findModel(name, desk);
  const check = args.has('no-check') ? undefined : await desk.check(runtime);
  if (check?.type === 'failed') return tellFailure(runtime, check, { process, format });

  const { notes, copy } = await desk.models.setDefault(name, runtime);
  const { path } = await deps.readSettings();
  if (format === 'json') {
    const checked = check === undefined ? null : timed(check);
    const report = { ok: true, default: runtime.name, path, check: checked, notes, copy: copy ?? null };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return exitCodes.done;
  }
  if (check !== undefined) process.stdout.write(describeAnswer(runtime, check));
  process.stdout.write(`${runtime.name} is the default now · ${describeFacts(await desk.lookUp(runtime))}\n`);
  for (const note of notes) process.stdout.write(`${note}\n`);
  process.stdout.write(`Written to ${path}; a Talaria that runs takes it up with its next message.\n`);
  if (copy !== undefined) process.stdout.write(`The settings as they were: ${copy}\n`);
  return exitCodes.done;
};
