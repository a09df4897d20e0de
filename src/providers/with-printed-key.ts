import { describeError } from '../base/errors.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { PrintedKey, Runtime } from '../model/runtime.ts';

/**
 * A client of a runtime whose key a command prints. The command is run when a call needs its key and none is kept, so
 * that whoever is never asked never runs it. A call without its key fails as one whose client could not be made.
 */
export async function withPrintedKey(
  runtime: Runtime,
  printed: PrintedKey,
  connect: (runtime: Runtime) => Promise<Provider>,
): Promise<Provider> {
  let key = '';
  const client = await connect({ ...runtime, credential: { type: 'key', reveal: () => key } });
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
      try {
        key = await printed.obtain(signal);
      } catch (thrown) {
        const message = describeError(thrown);
        yield { type: 'failed', failure: signal.aborted ? { type: 'aborted' } : { type: 'client', message } };
        return;
      }
      yield* client.stream(request, signal);
    },
    close: () => client.close(),
  };
}
