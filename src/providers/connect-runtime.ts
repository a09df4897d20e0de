import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import type { Environment } from './http-proxy.ts';
import type { Transport } from './transport.ts';

/**
 * A client for a runtime, with connections of its own; `environment` names the proxies and certificates to use for them.
 * The demo model has everything but the connections.
 */
export async function connectRuntime(
  runtime: Runtime,
  clock: Clock = systemClock,
  environment: Environment = () => undefined,
): Promise<Provider> {
  const { credential } = runtime;
  if (credential.type === 'printed') {
    const { withPrintedKey } = await import('./with-printed-key.ts');
    return await withPrintedKey(runtime, credential.key, (keyed) => connectRuntime(keyed, clock, environment));
  }
  const transport = await openTransport(runtime, clock, environment);
  switch (runtime.apiMode) {
    case 'chat_completions':
      return (await import('./openai-chat.ts')).createOpenAiChat(runtime, transport, clock);
    case 'codex_responses':
      return (await import('./openai-responses.ts')).createOpenAiResponses(runtime, transport, clock);
    case 'anthropic_messages':
      return (await import('./anthropic-messages.ts')).createAnthropicMessages(runtime, transport, clock);
  }
}

async function openTransport(runtime: Runtime, clock: Clock, environment: Environment): Promise<Transport> {
  if (runtime.place === 'demo') {
    const { DemoTransport } = await import('./demo/demo-transport.ts');
    return new DemoTransport({ clock });
  }
  const [{ HttpTransport }, { decideTimeouts }] = await Promise.all([
    import('./http-transport.ts'),
    import('./http-timeouts.ts'),
  ]);
  return new HttpTransport({
    timeouts: (bodyBytes) => decideTimeouts(runtime.place, bodyBytes),
    clock,
    network: { environment, proxies: runtime.place === 'remote' ? 'as-set' : 'unused' },
  });
}
