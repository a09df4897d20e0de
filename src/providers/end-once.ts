import { describeError } from '../base/errors.ts';
import { createRedactor } from '../base/redact.ts';
import type { ModelEvent, ModelFailure } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';

/** Keeps the promise of the port: one `finished` or `failed` at the end, nothing after it, and nothing thrown. */
export async function* endOnce(events: AsyncIterable<ModelEvent>, runtime: Runtime): AsyncGenerator<ModelEvent, void> {
  let hasEnded = false;
  try {
    for await (const event of events) {
      const shown: ModelEvent =
        event.type === 'failed' ? { type: 'failed', failure: withoutSecrets(event.failure, runtime) } : event;
      hasEnded = event.type === 'finished' || event.type === 'failed';
      yield shown;
      if (hasEnded) return;
    }
  } catch (thrown) {
    if (hasEnded) return;
    yield { type: 'failed', failure: { type: 'protocol', message: describeError(thrown) } };
  }
}

/** Servers repeat keys in their errors. */
function withoutSecrets(failure: ModelFailure, runtime: Runtime): ModelFailure {
  if (!('message' in failure)) return failure;
  const secrets = runtime.credential.type === 'key' ? [runtime.credential.reveal().trim()] : [];
  return { ...failure, message: createRedactor(secrets)(failure.message) };
}
