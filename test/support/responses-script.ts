import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';

import { isJsonObject } from '../../src/base/json.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { sendsRaw } from './model-script.ts';
import type { ModelStep, ScriptedCall, SeenRequest } from './model-script.ts';

/** One item of an answer, in the order in which the model put them out. */
export type ScriptedItem =
  | { readonly type: 'thought'; readonly summary: readonly string[]; readonly encrypted?: string | null }
  | { readonly type: 'text'; readonly text: string; readonly phase?: 'commentary' | 'final_answer' }
  | { readonly type: 'refusal'; readonly text: string }
  | ({ readonly type: 'call' } & ScriptedCall);

export interface ResponsesOptions {
  /** The usage object on the wire; by default an estimate from the lengths. `null` leaves it out. */
  readonly usage?: JsonObject | null;
  /** What stopped the answer; by default nothing did. Its last item is then incomplete. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter' | 'max_messages';
  /** Reasoning that is streamed before everything else; its encrypted form follows from it. */
  readonly reasoning?: string;
  /** What the server found when it held the request against another; by default it was not asked. */
  readonly diagnostics?: JsonObject;
}

/** Answers with text on the Responses protocol, streamed word by word. */
export function saysResponses(text: string, options: ResponsesOptions = {}): ModelStep {
  return answersResponses([{ type: 'text', text }], options);
}

/** Answers with one tool call, its arguments streamed in pieces; `text` comes before it. */
export function callsToolResponses(
  name: string,
  args: JsonObject | string,
  options: ResponsesOptions & { readonly id?: string; readonly text?: string } = {},
): ModelStep {
  const call: ScriptedCall = options.id === undefined ? { name, args } : { name, args, id: options.id };
  return callsToolsResponses([call], options);
}

/** Answers with several tool calls in one response. */
export function callsToolsResponses(
  calls: readonly ScriptedCall[],
  options: ResponsesOptions & { readonly text?: string } = {},
): ModelStep {
  const text: readonly ScriptedItem[] = options.text === undefined ? [] : [{ type: 'text', text: options.text }];
  return answersResponses([...text, ...calls.map((call): ScriptedItem => ({ type: 'call', ...call }))], options);
}

/** Answers with nothing but reasoning. */
export function thinksResponses(reasoning: string, options: ResponsesOptions = {}): ModelStep {
  return answersResponses([], { ...options, reasoning });
}

/** Answers with these items, each streamed in the events that the documentation gives for it. */
export function answersResponses(items: readonly ScriptedItem[], options: ResponsesOptions = {}): ModelStep {
  const { reasoning } = options;
  const thought: readonly ScriptedItem[] = reasoning === undefined ? [] : [{ type: 'thought', summary: [reasoning] }];
  return streamsResponses((request) => answerEvents(request, [...thought, ...items], options));
}

/** Begins to answer, and then fails as a `response.failed` event says. */
export function failsResponses(error: JsonObject | null, text = 'Well'): ModelStep {
  return streamsResponses((request) => {
    const begun = answerEvents(request, [{ type: 'text', text }], {}).slice(0, -2);
    const response = { ...describeResponse(request, 'failed', []), error };
    return [...begun, { type: 'response.failed', sequence_number: begun.length, response } as unknown as Json];
  });
}

/** Answers with these events, in this order. Text goes into an event as it is. */
export function sendsResponsesEvents(events: readonly (Json | string)[]): ModelStep {
  return streamsResponses(() => events);
}

/** The events of a step as values, to change some of them. */
export function eventsOfResponses(
  items: readonly ScriptedItem[],
  options: ResponsesOptions = {},
): readonly JsonObject[] {
  return answerEvents(noRequest, items, options) as unknown as readonly JsonObject[];
}

const noRequest: Pick<SeenRequest, 'index' | 'body' | 'json'> = { index: 0, body: '', json: undefined };
type Asked = typeof noRequest;

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;
type ScriptEvent = Unnumbered<ResponseStreamEvent>;

function streamsResponses(
  events: (request: SeenRequest) => readonly (Json | string | ResponseStreamEvent)[],
): ModelStep {
  return { plan: (request) => sendsRaw(events(request).map(wireEvent)).plan(request) };
}

function wireEvent(event: Json | string | ResponseStreamEvent): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const type = isJsonObject(event) && typeof event['type'] === 'string' ? event['type'] : 'message';
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function answerEvents(
  request: Asked,
  scripted: readonly ScriptedItem[],
  options: ResponsesOptions,
): readonly ResponseStreamEvent[] {
  const endings = scripted.map((_, index) => {
    return options.incomplete !== undefined && index === scripted.length - 1 ? 'incomplete' : 'completed';
  });
  const items = scripted.map((item, index) => describeItem(request, item, index, endings[index] ?? 'completed'));
  const begun = describeResponse(request, 'in_progress', []);
  const status = options.incomplete === undefined ? 'completed' : 'incomplete';
  const usage = options.usage === undefined ? estimateUsage(request, items) : options.usage;
  const ended = {
    ...describeResponse(request, status, items),
    incomplete_details: options.incomplete === undefined ? null : { reason: options.incomplete },
    ...(usage === null ? {} : { usage }),
    ...(options.diagnostics === undefined ? {} : { prompt_cache_diagnostics: options.diagnostics }),
  } as unknown as Response;
  const events: readonly ScriptEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    { type: `response.${status}`, response: ended },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function describeResponse(
  request: Asked,
  status: NonNullable<Response['status']>,
  output: ResponseOutputItem[],
): Response {
  const described: Omit<Response, 'output_text'> = {
    id: `resp_${request.index + 1}`,
    object: 'response',
    created_at: 0,
    status,
    access_programs: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: modelOf(request),
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
  };
  // The SDK adds the text of the whole; it does not come over the wire.
  return described as Response;
}

function modelOf(request: Asked): string {
  const model = request.json?.['model'];
  return typeof model === 'string' ? model : 'scripted';
}

type ScriptedOutput = ResponseOutputMessage | ResponseReasoningItem | ResponseFunctionToolCall;

function describeItem(
  request: Asked,
  item: ScriptedItem,
  index: number,
  status: 'completed' | 'incomplete',
): ScriptedOutput {
  const place = `${request.index + 1}_${index + 1}`;
  switch (item.type) {
    case 'thought':
      return describeThought(item, place);
    case 'text': {
      const phase = item.phase === undefined ? {} : { phase: item.phase };
      const text: ResponseOutputText = { type: 'output_text', annotations: [], logprobs: [], text: item.text };
      return { id: `msg_${place}`, type: 'message', status, role: 'assistant', ...phase, content: [text] };
    }
    case 'refusal': {
      const refusal: ResponseOutputRefusal = { type: 'refusal', refusal: item.text };
      return { id: `msg_${place}`, type: 'message', status, role: 'assistant', content: [refusal] };
    }
    case 'call':
      return {
        id: `fc_${place}`,
        type: 'function_call',
        status,
        arguments: typeof item.args === 'string' ? item.args : JSON.stringify(item.args),
        call_id: item.id ?? `call_${place}`,
        name: item.name,
      };
  }
}

function describeThought(item: Extract<ScriptedItem, { readonly type: 'thought' }>, place: string): ScriptedOutput {
  const encrypted =
    item.encrypted === undefined ? `gAAAAB${Buffer.from(item.summary.join()).toString('base64')}` : item.encrypted;
  return {
    id: `rs_${place}`,
    type: 'reasoning',
    encrypted_content: encrypted,
    summary: item.summary.map((text) => ({ type: 'summary_text', text })),
  };
}

function itemEvents(item: ScriptedOutput, index: number): readonly ScriptEvent[] {
  switch (item.type) {
    case 'reasoning':
      return thoughtEvents(item, index);
    case 'message':
      return messageEvents(item, index);
    case 'function_call':
      return callEvents(item, index);
  }
}

function thoughtEvents(item: ResponseReasoningItem, index: number): readonly ScriptEvent[] {
  const parts = item.summary.flatMap((part, summary): readonly ScriptEvent[] => {
    const place = { item_id: item.id, output_index: index, summary_index: summary };
    return [
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
      ...words(part.text).map((delta): ScriptEvent => ({
        type: 'response.reasoning_summary_text.delta',
        ...place,
        delta,
      })),
      { type: 'response.reasoning_summary_text.done', ...place, text: part.text },
      { type: 'response.reasoning_summary_part.done', ...place, part },
    ];
  });
  // What `added` carries of the encrypted form is documented as possibly incomplete.
  const begun: ResponseReasoningItem = { id: item.id, type: 'reasoning', encrypted_content: 'gAAAA', summary: [] };
  return surround(begun, item, index, parts);
}

function messageEvents(item: ResponseOutputMessage, index: number): readonly ScriptEvent[] {
  const parts = item.content.flatMap((part, content): readonly ScriptEvent[] => {
    const place = { item_id: item.id, output_index: index, content_index: content };
    const added: ScriptEvent = { type: 'response.content_part.added', ...place, part: withoutText(part) };
    const done: ScriptEvent = { type: 'response.content_part.done', ...place, part };
    if (part.type === 'refusal') {
      const deltas = words(part.refusal).map((delta): ScriptEvent => ({
        type: 'response.refusal.delta',
        ...place,
        delta,
      }));
      return [added, ...deltas, { type: 'response.refusal.done', ...place, refusal: part.refusal }, done];
    }
    const deltas = words(part.text).map((delta): ScriptEvent => ({
      type: 'response.output_text.delta',
      ...place,
      logprobs: [],
      delta,
    }));
    return [added, ...deltas, { type: 'response.output_text.done', ...place, logprobs: [], text: part.text }, done];
  });
  return surround({ ...item, status: 'in_progress', content: [] }, item, index, parts);
}

function withoutText(part: ResponseOutputMessage['content'][number]): ResponseOutputMessage['content'][number] {
  return part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '' };
}

function callEvents(item: ResponseFunctionToolCall, index: number): readonly ScriptEvent[] {
  const place = { item_id: item.id ?? '', output_index: index };
  const pieces = item.arguments.match(/[\s\S]{1,12}/g) ?? [];
  return surround({ ...item, status: 'in_progress', arguments: '' }, item, index, [
    ...pieces.map((delta): ScriptEvent => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
  ]);
}

function surround(
  begun: ScriptedOutput,
  item: ScriptedOutput,
  index: number,
  events: readonly ScriptEvent[],
): readonly ScriptEvent[] {
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...events,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function estimateUsage(request: Asked, items: readonly ScriptedOutput[]): JsonObject {
  const read = Math.ceil(request.body.length / 4);
  const output = Math.ceil(JSON.stringify(items).length / 4);
  return {
    input_tokens: read,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: read + output,
  };
}
