import type { ModelEvent, ModelFailure } from '../../src/model/provider.ts';
import { HttpTransport } from '../../src/providers/http-transport.ts';
import { createOpenAiResponses } from '../../src/providers/openai-responses.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { ask, patientTimeouts, runtimeAt } from './chat-setup.ts';
import type { ChatOptions, TestChat } from './chat-setup.ts';

/** The vendor that the test's runtime belongs to. */
export const vendor = 'custom';

/** The real client of the real protocol, pointed at a scripted server. */
export function openResponses(server: ModelServer, options: ChatOptions = {}): TestChat {
  const transport = new HttpTransport({ timeouts: () => patientTimeouts, ...options.transport });
  const runtime = runtimeAt(server.baseUrl, { vendor, ...options.runtime });
  const provider = createOpenAiResponses(runtime, transport, options.transport?.clock);
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}

/** The events of one answer that the server gives. */
export async function streamOf(step: ModelStep): Promise<readonly ModelEvent[]> {
  await using server = await startModelServer([step]);
  await using client = openResponses(server);
  return await ask(client);
}

export type Finished = Extract<ModelEvent, { readonly type: 'finished' }>;

/** The end of an answer that is whole. */
export async function endOf(step: ModelStep): Promise<Finished> {
  const last = (await streamOf(step)).at(-1);
  if (last?.type !== 'finished') throw new Error(`the answer did not finish: ${JSON.stringify(last)}`);
  return last;
}

export async function failureOf(step: ModelStep): Promise<ModelFailure | undefined> {
  const last = (await streamOf(step)).at(-1);
  return last?.type === 'failed' ? last.failure : undefined;
}

export function textOf(events: readonly ModelEvent[]): string | undefined {
  const last = events.at(-1);
  return last?.type === 'finished'
    ? last.message.parts.map((part) => ('text' in part ? part.text : '')).join('\n')
    : undefined;
}
