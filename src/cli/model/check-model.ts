import type { ModelCheck } from '../../agents/check-model.ts';
import { AppError } from '../../base/errors.ts';
import type { Runtime } from '../../model/runtime.ts';
import type { ModelDesk, ProcessPort } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { failureLine } from '../failure-line.ts';
import { firstLine } from '../render/one-line.ts';

/** Asks the model by that name, or the default one, for one word. */
export const checkOneModel: CommandFunction = async (args, deps) => {
  const { process } = deps;
  const format = args.has('json') ? 'json' : 'text';
  const desk = await deps.openModels();
  const runtime = await findModel(args.words[0], desk);
  const check = await desk.check(runtime);
  if (check.type === 'failed') return tellFailure(runtime, check, { process, format });
  if (format === 'json')
    process.stdout.write(`${JSON.stringify({ ok: true, model: runtime.name, ...timed(check) })}\n`);
  else process.stdout.write(describeAnswer(runtime, check));
  return exitCodes.done;
};

type Answered = Extract<ModelCheck, { readonly type: 'answered' }>;
type Failed = Extract<ModelCheck, { readonly type: 'failed' }>;

export interface Telling {
  readonly process: Pick<ProcessPort, 'stdout' | 'stderr'>;
  readonly format: 'text' | 'json';
}

/** Throws `no-model` where it cannot be used. */
export async function findModel(name: string | undefined, { models }: ModelDesk): Promise<Runtime> {
  const found = await models.find(name);
  if (found.type === 'unusable') throw new AppError('no-model', found.problem);
  return found.chain[0];
}

/** Tells that a model did not answer, and gives the exit code for it. */
export function tellFailure({ name }: Runtime, { reason }: Failed, { process, format }: Telling): number {
  const message = `${name} did not answer: ${firstLine(reason, 500)}`;
  process.stderr.write(`talaria: ${message}\n`);
  if (format === 'json') process.stdout.write(failureLine({ code: 'no-answer', message }, exitCodes.failed));
  return exitCodes.failed;
}

export function describeAnswer({ name }: Runtime, check: Answered): string {
  const { afterMs, text } = timed(check);
  return `${name} answered after ${afterMs} ms: ${text === '' ? '(no words)' : firstLine(text, 60)}\n`;
}

export function timed({ afterMs, text }: Answered): { readonly afterMs: number; readonly text: string } {
  return { afterMs: Math.round(afterMs), text };
}
