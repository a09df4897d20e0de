import * as fc from 'fast-check';
import type { JsonObject } from '../../src/base/json.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { answersAnthropic } from './anthropic-script.ts';
import type { AnthropicBlock } from './anthropic-script.ts';
import {
  bodyOf,
  callsTools,
  cutsAfter,
  endsAfter,
  failsWith,
  resets,
  resetsAfter,
  sendsRaw,
  stallsAfter,
} from './model-script.ts';
import type { ModelStep, ScriptedCall } from './model-script.ts';
import { protocolScripts } from './protocol-scripts.ts';
import { answersResponses } from './responses-script.ts';
import type { ScriptedItem } from './responses-script.ts';

/** How a model answers a request, whichever protocol it speaks. */
export type Answer =
  | ({ readonly type: 'speaks' } & Speech)
  | {
      readonly type: 'refuses';
      readonly status: number;
      readonly error: JsonObject;
      readonly retryAfter: string | undefined;
    }
  | { readonly type: 'breaks'; readonly how: Breakage }
  /** Stands still, before its first word or in the middle, until somebody has done something. */
  | { readonly type: 'stalls'; readonly share: number; readonly until: 'stop' | 'steer' | 'restart' };

export interface Speech {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
  readonly ending: Ending;
}

export type Ending = 'whole' | 'cut' | 'filtered';
export type Breakage = 'reset' | 'reset-midway' | 'closed-midway' | 'ended-midway' | 'garbage' | 'error-event';

/** Stands for many words, so that plans stay readable. */
const long = '(many words)';
const manyWords = Array.from({ length: 500 }, (_, index) => `reply${index % 97}`).join(' ');
const texts = fc.constantFrom('ok', 'naïve 日本語', 'half \ud83d pair', '<user-message>', long, long);
const path = fc.constantFrom('a.txt', 'b.txt');

const fitting: fc.Arbitrary<ScriptedCall> = fc.oneof(
  fc.record({ name: fc.constant('write_file'), args: fc.record({ path, content: texts }) }),
  fc.record({ name: fc.constant('read_file'), args: fc.record({ path }) }),
);

const misfits: fc.Arbitrary<ScriptedCall> = fc.constantFrom(
  { name: 'no_such_tool', args: {} },
  { name: 'read_file', args: { wrong: 1 } },
  // Some servers count their calls from zero in every answer, or use characters that others refuse.
  { name: 'read_file', args: { path: 'a.txt' }, id: 'functions.read_file:0' },
  { name: 'read_file', args: { path: 'missing.txt' }, id: 'call_0' },
  { name: 'write_file', args: { path: 'c.txt', content: '' }, id: 'call_0' },
  { name: 'read_file', args: '{"path":"\\ud83d.txt"}' },
);

const brokenCall: ScriptedCall = { name: 'write_file', args: '{"path": "a.t' };
const shell: ScriptedCall = { name: 'terminal', args: { command: 'rm -rf ./nothing-there' } };

const call = fc.oneof({ weight: 4, arbitrary: fitting }, { weight: 1, arbitrary: misfits });
const thought = fc.constantFrom('', 'Let me think.');

const speech = (parts: Partial<{ [Name in keyof Speech]: fc.Arbitrary<Speech[Name]> }>): fc.Arbitrary<Answer> =>
  fc.record({
    type: fc.constant('speaks'),
    thought,
    text: texts,
    calls: fc.constant([]),
    ending: fc.constant('whole'),
    ...parts,
  });

const useful = fc.oneof(
  { weight: 3, arbitrary: speech({}) },
  {
    weight: 4,
    arbitrary: speech({
      text: fc.oneof(fc.constant(''), texts),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    }),
  },
);

const unusable = fc.oneof(
  speech({ text: fc.constant('') }),
  speech({ calls: fc.constant([brokenCall]) }),
  speech({ ending: fc.constant('cut'), calls: fc.tuple(call) }),
  speech({ ending: fc.constant('cut') }),
  speech({ ending: fc.constantFrom('cut', 'filtered'), text: fc.constant(''), thought: fc.constant('Hm.') }),
  speech({ ending: fc.constant('filtered') }),
);

const refusal = (status: number, error: JsonObject = { message: 'no' }, retryAfter?: string): Answer => ({
  type: 'refuses',
  status,
  error,
  retryAfter,
});

const refusals = fc.constantFrom(
  ...[400, 401, 402, 403, 404, 413, 429, 500, 503, 529].map((status) => refusal(status)),
  refusal(429, { message: 'slow down' }, '0'),
  refusal(429, { message: 'slow down' }, '7'),
  refusal(429, { message: 'slow down' }, '90'),
  refusal(429, { message: 'pay', code: 'insufficient_quota' }),
  refusal(413, { type: 'request_too_large', message: 'too large' }),
  refusal(400, { code: 'context_length_exceeded', message: 'maximum context length is 6000 tokens' }),
  refusal(400, { code: 'invalid_encrypted_content', message: 'those thoughts are not ours' }),
  refusal(400, { message: 'Invalid `signature` in `thinking` block' }),
);

const breakages: fc.Arbitrary<Answer> = fc.record({
  type: fc.constant('breaks'),
  how: fc.constantFrom('reset', 'reset-midway', 'closed-midway', 'ended-midway', 'garbage', 'error-event'),
});

const stalls: fc.Arbitrary<Answer> = fc.record({
  type: fc.constant('stalls'),
  share: fc.constantFrom(0, 0.5),
  until: fc.constantFrom('stop', 'stop', 'steer', 'restart'),
});

export const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 24, arbitrary: useful },
  { weight: 6, arbitrary: refusals },
  { weight: 3, arbitrary: breakages },
  { weight: 4, arbitrary: unusable },
  { weight: 2, arbitrary: stalls },
  { weight: 1, arbitrary: speech({ calls: fc.constant([shell]) }) },
);

export const anySummary: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 4, arbitrary: speech({ thought: fc.constant('') }) },
  { weight: 1, arbitrary: fc.oneof(refusals, breakages, unusable) },
  { weight: 1, arbitrary: stalls },
);

export const plainAnswer: Extract<Answer, { readonly type: 'speaks' }> = {
  type: 'speaks',
  thought: '',
  text: 'Well.',
  calls: [],
  ending: 'whole',
};

/** An answer in the words of a protocol. No two are the same, as those of models never are: each has its number. */
export function answerIn(apiMode: ApiMode, answer: Answer, number: number): ModelStep {
  switch (answer.type) {
    case 'speaks':
      return speakers[apiMode](inFull(answer, number));
    case 'refuses': {
      const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter };
      return failsWith(answer.status, { error: answer.error }, headers);
    }
    case 'breaks':
      return breakIn(apiMode, answer.how);
    case 'stalls': {
      const step = speakers[apiMode](inFull({ ...plainAnswer, text: long }, number));
      return stallsAfter(Math.floor(bodyOf(step).length * answer.share), step);
    }
  }
}

function full(text: string): string {
  return text.replace(long, manyWords);
}

function inFull(answer: Speech, number: number): Speech {
  const calls = answer.calls.map((each) => {
    const { content } = typeof each.args === 'string' ? {} : each.args;
    if (typeof each.args === 'string' || typeof content !== 'string') return each;
    return { ...each, args: { ...each.args, content: full(content) } };
  });
  return { ...answer, calls, text: answer.text === '' ? '' : `${full(answer.text)} (${number})` };
}

const speakers: Readonly<Record<ApiMode, (speech: Speech) => ModelStep>> = {
  chat_completions: speakChat,
  anthropic_messages: speakAnthropic,
  codex_responses: speakResponses,
};

function speakChat({ thought: reasoning, text, calls, ending }: Speech): ModelStep {
  const finish = { whole: undefined, cut: 'length', filtered: 'content_filter' }[ending];
  return callsTools(calls, { reasoning, text, ...(finish && { finish }) });
}

function speakAnthropic({ thought: thinking, text, calls, ending }: Speech): ModelStep {
  const blocks: readonly AnthropicBlock[] = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature: 'c2lnbmVk' } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((each) => ({ type: 'tool_use', ...each }) as const),
  ];
  const stop = { whole: undefined, cut: 'max_tokens', filtered: 'refusal' }[ending];
  return answersAnthropic(blocks, stop === undefined ? {} : { stop });
}

function speakResponses({ thought: reasoning, text, calls, ending }: Speech): ModelStep {
  const items: readonly ScriptedItem[] = [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((each) => ({ type: 'call', ...each }) as const),
  ];
  const incomplete = { whole: undefined, cut: 'max_output_tokens', filtered: 'content_filter' } as const;
  const how = incomplete[ending];
  return answersResponses(items, { ...(reasoning === '' ? {} : { reasoning }), ...(how && { incomplete: how }) });
}

function breakIn(apiMode: ApiMode, how: Breakage): ModelStep {
  const whole = speakers[apiMode]({ thought: '', text: 'This breaks off.', calls: [], ending: 'whole' });
  const middle = Math.floor(bodyOf(whole).length / 2);
  switch (how) {
    case 'reset':
      return resets();
    case 'reset-midway':
      return resetsAfter(middle, whole);
    case 'closed-midway':
      return cutsAfter(middle, whole);
    case 'ended-midway':
      return endsAfter(middle, whole);
    case 'garbage':
      return sendsRaw('data: {{{\n\n');
    case 'error-event': {
      const protocol = protocolScripts.find((each) => each.apiMode === apiMode);
      return protocol?.breaksOffWith({ type: 'overloaded_error', message: 'busy' }) ?? resets();
    }
  }
}
