import type { Json } from '../../src/base/json.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { blockStart, messageStart, saysAnthropic, sendsAnthropic } from './anthropic-script.ts';
import { says, sendsEvents } from './model-script.ts';
import type { ModelStep } from './model-script.ts';
import { saysResponses, sendsResponsesEvents } from './responses-script.ts';

/** How a scripted server speaks a wire protocol. */
export interface ProtocolScript {
  readonly apiMode: ApiMode;
  readonly says: (text: string) => ModelStep;
  /** Begins to answer, and then reports an error as an event. */
  readonly breaksOffWith: (error: Json) => ModelStep;
}

export const protocolScripts: readonly ProtocolScript[] = [
  {
    apiMode: 'chat_completions',
    says: (text) => says(text),
    breaksOffWith: (error) => sendsEvents([{ choices: [{ delta: { content: 'x' } }] }, { error }]),
  },
  {
    apiMode: 'anthropic_messages',
    says: (text) => saysAnthropic(text),
    breaksOffWith: (error) =>
      sendsAnthropic([messageStart(), blockStart(0, { type: 'text', text: 'x' }), { type: 'error', error }]),
  },
  {
    apiMode: 'codex_responses',
    says: (text) => saysResponses(text),
    breaksOffWith: (error) =>
      sendsResponsesEvents([
        { type: 'response.output_text.delta', output_index: 0, delta: 'x' },
        { type: 'error', error },
      ]),
  },
];
