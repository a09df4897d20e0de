import type { Json, JsonObject } from '../../src/base/json.ts';

/** A request as the scripted server saw it; `body` is exactly what came over the wire. */
export interface SeenRequest {
  /** 0 for the first request that the server got. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytes: Uint8Array;
  /** The parsed body, or undefined where it is not a JSON object. */
  readonly json: JsonObject | undefined;
  /** Which TCP connection carried it, counted from 1: equal numbers mean that the connection was kept. */
  readonly connection: number;
}

/** What the server does on the wire, in order. An answer ends with `end`, `drop` or `reset`. */
export type WireAction =
  | { readonly type: 'wait'; readonly gate: PromiseLike<unknown> }
  | { readonly type: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'send'; readonly bytes: Uint8Array }
  | { readonly type: 'stall' }
  | { readonly type: 'end' }
  | { readonly type: 'drop' }
  | { readonly type: 'reset' };

/** How one request is answered. Steps are values: the functions below make them and wrap them. */
export interface ModelStep {
  plan(request: SeenRequest): readonly WireAction[];
}

/** The answers in order, or a function that decides by the request. Undefined stands for "nothing left to say". */
export type ModelScript =
  | readonly ModelStep[]
  | ((request: SeenRequest, index: number) => ModelStep | undefined | Promise<ModelStep | undefined>);

export interface AnswerOptions {
  /** The finish reason on the wire; by default `stop`, or `tool_calls` where there are calls. */
  readonly finish?: string;
  /** The usage object on the wire; by default an estimate from the lengths. `null` leaves it out. */
  readonly usage?: JsonObject | null;
  /** Reasoning that is streamed before the text. */
  readonly reasoning?: string;
}

export interface ScriptedCall {
  readonly name: string;
  /** An object is serialised; text goes over the wire as it is, so that it can be broken JSON. */
  readonly args: JsonObject | string;
  /** By default `call_<request>_<position>`, both counted from 1. */
  readonly id?: string;
}

/** Answers with text, streamed word by word. */
export function says(text: string, options: AnswerOptions = {}): ModelStep {
  return streams((request) => answerEvents(request, text, [], options));
}

/** Answers with one tool call, its arguments streamed in pieces; `text` comes before it. */
export function callsTool(
  name: string,
  args: JsonObject | string,
  options: AnswerOptions & { readonly id?: string; readonly text?: string } = {},
): ModelStep {
  const call: ScriptedCall = options.id === undefined ? { name, args } : { name, args, id: options.id };
  return callsTools([call], options);
}

/** Answers with several tool calls in one message. */
export function callsTools(
  calls: readonly ScriptedCall[],
  options: AnswerOptions & { readonly text?: string } = {},
): ModelStep {
  return streams((request) => answerEvents(request, options.text ?? '', calls, options));
}

/** Answers with these chunks as SSE events, in this order, and then `[DONE]`. Text goes into an event as it is. */
export function sendsEvents(events: readonly (Json | string)[]): ModelStep {
  return streams(() => events);
}

/** Answers with exactly these bytes as the body; each element of a list is written on its own. */
export function sendsRaw(
  body: string | Uint8Array | readonly (string | Uint8Array)[],
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): ModelStep {
  const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  const headers = { 'content-type': 'text/event-stream', ...options.headers };
  return { plan: () => answer(options.status ?? 200, headers, chunks) };
}

/** Answers with an error status. An object becomes a JSON body, text a plain one. */
export function failsWith(
  status: number,
  body: JsonObject | string = { error: { message: `scripted failure ${status}` } },
  headers: Readonly<Record<string, string>> = {},
): ModelStep {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { plan: () => answer(status, { 'content-type': type, ...headers }, [text]) };
}

/** Closes the connection in the middle of the answer, after so many bytes of its body. */
export function cutsAfter(bytes: number, step: ModelStep): ModelStep {
  return stopsAfter(bytes, step, { type: 'drop' });
}

/** Ends the answer after so many bytes as if that were all of it: valid HTTP, incomplete stream. */
export function endsAfter(bytes: number, step: ModelStep): ModelStep {
  return stopsAfter(bytes, step, { type: 'end' });
}

/** Resets the connection (RST) after so many bytes of the body. */
export function resetsAfter(bytes: number, step: ModelStep): ModelStep {
  return stopsAfter(bytes, step, { type: 'reset' });
}

/** Resets the connection without any answer. */
export function resets(): ModelStep {
  return { plan: () => [{ type: 'reset' }] };
}

/** Sends so many bytes of the body and then nothing, until the client goes away or the test calls `server.release()`. */
export function stallsAfter(bytes: number, step: ModelStep): ModelStep {
  return {
    plan(request) {
      const { head, rest } = splitAt(step.plan(request), bytes);
      return [...head, { type: 'stall' }, ...rest];
    },
  };
}

/** Never answers: not even the headers, until the client goes away or the test calls `server.release()`. */
export function staysSilent(step: ModelStep = says('')): ModelStep {
  return { plan: (request) => [{ type: 'stall' }, ...step.plan(request)] };
}

/** Waits for the gate before the first byte of the answer. */
export function delays(gate: PromiseLike<unknown>, step: ModelStep): ModelStep {
  return { plan: (request) => [{ type: 'wait', gate }, ...step.plan(request)] };
}

/** Overwrites the body with these bytes from an offset on; the length stays as it was. */
export function garblesAt(offset: number, bytes: Uint8Array | string, step: ModelStep): ModelStep {
  return mapsBody(step, (body) => {
    const garbled = Buffer.from(body);
    Buffer.from(bytes).copy(garbled, offset);
    return [garbled];
  });
}

/** Writes the body in pieces of so many bytes. */
export function inChunksOf(size: number, step: ModelStep): ModelStep {
  return mapsBody(step, (body) => {
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < body.length; start += size) pieces.push(body.subarray(start, start + size));
    return pieces;
  });
}

/** The bytes of a step's body, to count cuts in. */
export function bodyOf(step: ModelStep, request: SeenRequest = emptyRequest): Uint8Array {
  return Buffer.concat(step.plan(request).flatMap((action) => (action.type === 'send' ? [action.bytes] : [])));
}

const emptyRequest: SeenRequest = {
  index: 0,
  method: 'POST',
  path: '/v1/chat/completions',
  headers: {},
  body: '',
  bytes: new Uint8Array(),
  json: undefined,
  connection: 1,
};

function streams(events: (request: SeenRequest) => readonly (Json | string)[]): ModelStep {
  return {
    plan(request) {
      const lines = [...events(request), '[DONE]'].map(
        (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
      );
      return answer(200, { 'content-type': 'text/event-stream' }, lines);
    },
  };
}

function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  chunks: readonly (string | Uint8Array)[],
): readonly WireAction[] {
  const sends = chunks.map((chunk): WireAction => ({ type: 'send', bytes: Buffer.from(chunk) }));
  return [{ type: 'head', status, headers }, ...sends, { type: 'end' }];
}

function answerEvents(
  request: SeenRequest,
  text: string,
  calls: readonly ScriptedCall[],
  options: AnswerOptions,
): readonly Json[] {
  const wire = describeChunk(request);
  const finish = options.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  const usage = options.usage === undefined ? estimateUsage(request, text, calls) : options.usage;
  return [
    wire({ role: 'assistant', content: '' }, null),
    ...words(options.reasoning ?? '').map((word) => wire({ reasoning_content: word }, null)),
    ...words(text).map((word) => wire({ content: word }, null)),
    ...calls.flatMap((call, index) => callDeltas(request, call, index).map((delta) => wire(delta, null))),
    wire({}, finish),
    ...(usage === null ? [] : [{ ...wire({}, null), choices: [], usage }]),
  ];
}

function describeChunk(request: SeenRequest): (delta: JsonObject, finish: string | null) => JsonObject {
  const model = request.json?.['model'] ?? 'scripted';
  return (delta, finish) => ({
    id: `chatcmpl-${request.index + 1}`,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
}

function callDeltas(request: SeenRequest, call: ScriptedCall, index: number): readonly JsonObject[] {
  const id = call.id ?? `call_${request.index + 1}_${index + 1}`;
  const text = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
  const pieces = text.match(/[\s\S]{1,12}/g) ?? [];
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function estimateUsage(request: SeenRequest, text: string, calls: readonly ScriptedCall[]): JsonObject {
  const written = text + calls.map((call) => call.name + JSON.stringify(call.args)).join('');
  const read = Math.ceil(request.body.length / 4);
  const output = Math.ceil(written.length / 4);
  return { prompt_tokens: read, completion_tokens: output, total_tokens: read + output };
}

function stopsAfter(bytes: number, step: ModelStep, ending: WireAction): ModelStep {
  return { plan: (request) => [...splitAt(step.plan(request), bytes).head, ending] };
}

/** Splits a plan after so many bytes of its body; the head of the answer stays in the first half. */
function splitAt(
  plan: readonly WireAction[],
  bytes: number,
): { readonly head: readonly WireAction[]; readonly rest: readonly WireAction[] } {
  const head: WireAction[] = [];
  const rest: WireAction[] = [];
  let left = bytes;
  let isPast = false;
  for (const action of plan) {
    if (isPast) rest.push(action);
    else if (action.type !== 'send') (action.type === 'end' ? rest : head).push(action);
    else {
      const taken = action.bytes.subarray(0, left);
      if (taken.length > 0) head.push({ type: 'send', bytes: taken });
      if (taken.length < action.bytes.length) {
        rest.push({ type: 'send', bytes: action.bytes.subarray(taken.length) });
        isPast = true;
      }
      left -= taken.length;
    }
  }
  return { head, rest };
}

function mapsBody(step: ModelStep, change: (body: Uint8Array) => readonly Uint8Array[]): ModelStep {
  return {
    plan(request) {
      const plan = step.plan(request);
      const first = plan.findIndex((action) => action.type === 'send');
      if (first === -1) return plan;
      const changed = change(bodyOf(step, request)).map((bytes): WireAction => ({ type: 'send', bytes }));
      return [...plan.slice(0, first), ...changed, ...plan.slice(first).filter((action) => action.type !== 'send')];
    },
  };
}
