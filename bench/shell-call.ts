import { callsTool, failsWith, says } from '../test/support/model-script.ts';
import type { ModelStep, SeenRequest } from '../test/support/model-script.ts';
import type { ModelServer } from '../test/support/model-server.ts';
import { probeSandbox } from '../src/tools/sandbox/probe-sandbox.ts';
import type { Figure } from './figure.ts';
import { median, runToEnd } from './measure.ts';
import { spawnEnclosedShells, spawnShells } from './bare-programs.ts';
import type { Product } from './product.ts';

const calls = 20;
const rounds = 15;
// Built into the shell, so that the shell is all that starts.
const command = 'echo measured';
// More than one plain command is set apart.
const enclosedCommand = `${command}; :`;
const printed = 'measured';

/** Answers "use the shell N times" with one call after the other, and anything else with a word. */
export function answerBenchmark({ json }: SeenRequest): ModelStep {
  const messages = (json?.['messages'] ?? []) as readonly { readonly role: string; readonly content: string }[];
  const asked = messages.findLast(({ role }) => role === 'user');
  const [, times = 0, place] = /use the shell (\d+) times( in the sandbox)?/.exec(asked?.content ?? '') ?? [];
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  // A call that was refused is fast, and worth nothing as a figure.
  if (!results.every((result) => result.includes(printed)))
    return failsWith(400, `not what the shell prints: ${results.join()}`);
  if (results.length >= Number(times)) return says('hi');
  return callsTool('terminal', { command: place === undefined ? command : enclosedCommand });
}

/**
 * A shell call: from the model's answer to the outcome, the records before the shell starts and the shell itself. And
 * a whole step: that, the record of the outcome, and the next question to the model with its own record and answer.
 */
export async function measureShellCall(product: Product, server: ModelServer): Promise<readonly Figure[]> {
  const bare = await product.writeBare('shells.mjs', spawnShells(calls, server.baseUrl));
  const enclosed = await measureEnclosed(product);
  const turns: StepTimes[] = [];
  const floors: { readonly shell: number; readonly shellAndModel: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    turns.push(await timeSteps(product));
    floors.push(JSON.parse((await runToEnd(bare)).output) as (typeof floors)[number]);
  }
  const shell = { name: 'a bare spawn of bash', value: median(floors.map((floor) => floor.shell)) };
  const shellAndModel = {
    name: 'that and a bare model call',
    value: median(floors.map((floor) => floor.shellAndModel)),
  };
  const call = { name: 'a shell call', value: median(turns.map((turn) => turn.call)), unit: 'ms' } as const;
  const step = { name: 'a step with a shell call', value: median(turns.map((turn) => turn.step)), unit: 'ms' } as const;
  return [
    { ...call, floor: shell, bar: { type: 'times-floor', most: 1.7 } },
    { ...step, floor: shellAndModel, bar: { type: 'none' } },
    ...enclosed,
  ];
}

/** The same of a call that is set apart from the system, where that can be done here. */
async function measureEnclosed(product: Product): Promise<readonly Figure[]> {
  if ((await probeSandbox()).type === 'missing') return [];
  const bare = await product.writeBare('enclosed-shells.mjs', spawnEnclosedShells(calls));
  const turns: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    turns.push((await timeSteps(product, ' in the sandbox')).call);
    floors.push(Number((await runToEnd(bare)).output));
  }
  const floor = { name: 'a bare spawn of bash in bubblewrap', value: median(floors) };
  return [{ name: 'a shell call in the sandbox', value: median(turns), unit: 'ms', floor, bar: { type: 'none' } }];
}

/** Mean times of one turn, in milliseconds. */
interface StepTimes {
  readonly call: number;
  readonly step: number;
}

/** Reads the times from the log. It counts whole milliseconds, which evens out over the calls of a turn. */
async function timeSteps(product: Product, place = ''): Promise<StepTimes> {
  const { output } = await runToEnd(product.talaria(['run', '--json', `use the shell ${1 + calls} times${place}`]));
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LoggedLine);
  const times = (type: string): readonly number[] =>
    lines.filter((line) => line.type === 'entry' && line.entry.type === type).map((line) => line.at);
  const answered = times('step.finished');
  const settled = times('tool.settled');
  // The first call loads whatever calls need.
  const durations = settled.slice(1).map((at, index) => at - (answered[index + 1] ?? at));
  const call = durations.reduce((sum, each) => sum + each, 0) / calls;
  return { call, step: ((answered.at(-1) ?? 0) - (answered[1] ?? 0)) / calls };
}

interface LoggedLine {
  readonly type: string;
  readonly at: number;
  readonly entry: { readonly type: string };
}
