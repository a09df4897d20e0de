import type { CallId } from '../../src/base/ids.ts';
import type { ModelEvent, ModelRequest, Provider } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { Runtime } from '../../src/model/runtime.ts';
import { HttpTransport } from '../../src/providers/http-transport.ts';
import type { HttpTransportOptions } from '../../src/providers/http-transport.ts';
import { createOpenAiChat } from '../../src/providers/openai-chat.ts';
import type { ModelServer } from '../support/model-server.ts';

export const patientTimeouts = { connectMs: 10_000, silenceMs: undefined, totalMs: 60_000 };

export function runtimeAt(baseUrl: string, changes: Partial<Runtime> = {}): Runtime {
  return {
    name: nameRuntime('custom', 'test-model'),
    vendor: 'custom',
    model: 'test-model',
    baseUrl,
    apiMode: 'chat_completions',
    credential: { type: 'none' },
    keyName: undefined,
    place: 'remote',
    route: 'direct',
    window: undefined,
    cacheLife: '5m',
    ...changes,
  };
}

export interface ChatOptions {
  readonly runtime?: Partial<Runtime>;
  readonly transport?: Partial<HttpTransportOptions>;
}

export type TestChat = Provider & AsyncDisposable;

/** The real client of the real protocol, pointed at a scripted server. */
export function openChat(server: ModelServer, options: ChatOptions = {}): TestChat {
  const transport = new HttpTransport({ timeouts: () => patientTimeouts, ...options.transport });
  const provider = createOpenAiChat(runtimeAt(server.baseUrl, options.runtime), transport, options.transport?.clock);
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}

export function requestOf(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'test-model',
    system: 'You are a test.',
    tools: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
    toolUse: 'allowed',
    maxOutputTokens: undefined,
    cacheKey: 'ses_test',
    effort: undefined,
    ...changes,
  };
}

export async function ask(
  provider: Provider,
  request: ModelRequest = requestOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  return await Array.fromAsync(provider.stream(request, signal));
}

/** The event that ends the answer. */
export async function askForEnd(provider: Provider, request?: ModelRequest): Promise<ModelEvent | undefined> {
  return (await ask(provider, request)).at(-1);
}

export function callId(text: string): CallId {
  return text as CallId;
}
