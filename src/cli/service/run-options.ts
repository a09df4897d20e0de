import type { Arguments } from '../command.ts';

/** The options of `gateway run` that `gateway start` and a restart hand on. Pure. */
export function runOptions(args: Arguments): readonly string[] {
  const model = args.value('model');
  return [...(model === undefined ? [] : ['--model', model]), ...(args.has('safe') ? ['--safe'] : [])];
}
