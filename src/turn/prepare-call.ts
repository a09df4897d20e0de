import { hash } from 'node:crypto';
import { describeError } from '../base/errors.ts';
import { isJsonObject, parseJson, stableJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ToolCall, ToolOutcome } from '../model/message.ts';
import { describeProblems } from '../model/schema.ts';
import type { Risk, Tool, ToolPlace } from '../model/tool.ts';

export interface ReadyCall {
  readonly type: 'ready';
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly risk: Risk;
  /** Names exactly this act: the tool, its arguments, the session's folder, and what a person is shown of it. */
  readonly digest: string;
}

/** A call that is ready to run, or the outcome that it ends in without running. */
export type PreparedCall =
  | ReadyCall
  | { readonly type: 'unfit'; readonly call: ToolCall; readonly outcome: ToolOutcome };

/** Finds the tool, checks the arguments and weighs the risk. Runs nothing. */
export async function prepareCall(
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
  place: ToolPlace,
): Promise<PreparedCall> {
  const tool = findTool(call.name, tools);
  if (tool === undefined)
    return unfit(call, `there is no tool named ${call.name}; the tools are ${[...tools.keys()].join(', ')}`);
  const written = parseArguments(call.arguments);
  if (written === undefined) return unfit(call, 'the arguments are not a JSON object; write the call again, whole');
  const parsed = tool.input.parse(written);
  if (parsed.type === 'invalid') return unfit(call, `the arguments do not fit: ${describeProblems(parsed.problems)}`);
  if (tool.meant === undefined) return await weigh(call, { tool, written, input: parsed.value }, place);
  const meant = tool.meant(parsed.value);
  if (meant === undefined) return unfit(call, 'there is no tool of that name here; search for it');
  const inner = meant.tool.input.parse(meant.input);
  if (inner.type === 'invalid')
    return unfit(call, `the arguments of ${meant.tool.name} do not fit: ${describeProblems(inner.problems)}`);
  return await weigh(call, { tool: meant.tool, written: meant.input, input: inner.value }, place);
}

interface CheckedCall extends Pick<ReadyCall, 'tool' | 'input'> {
  /** The arguments as they were written. */
  readonly written: Json;
}

async function weigh(call: ToolCall, { tool, written, input }: CheckedCall, place: ToolPlace): Promise<PreparedCall> {
  try {
    const risk = await tool.assess(input, place);
    const question = risk.type === 'ask' ? risk.question : null;
    const act = { tool: tool.name, arguments: written, workdir: place.workdir, question };
    const digest = hash('sha256', stableJson(act));
    return { type: 'ready', call, tool, input, risk, digest };
  } catch (thrown) {
    return unfit(call, describeError(thrown));
  }
}

function unfit(call: ToolCall, message: string): PreparedCall {
  return { type: 'unfit', call, outcome: { type: 'failed', message } };
}

/** No arguments at all is how some models write a call that needs none. */
function parseArguments(text: string): JsonObject | undefined {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Models misspell names in a few known ways: `ReadFile`, `read-file`, `read_file_tool`. */
function findTool(name: string, tools: ReadonlyMap<string, Tool>): Tool | undefined {
  const snake = name
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s-]+/g, '_')
    .toLowerCase();
  return tools.get(name) ?? tools.get(snake) ?? tools.get(snake.replace(/(_tool)+$/, ''));
}
