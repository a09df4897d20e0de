import type { ModelFailure } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';

/** Lets go of a key that a command printed, so that the next call has it printed anew. Other keys stay what they are. */
export function discardKey({ credential }: Pick<Runtime, 'credential'>): void {
  if (credential.type === 'printed') credential.key.discard();
}

/** The same where a failure says that the key was refused. */
export function discardKeyIfRefused(failure: ModelFailure, runtime: Pick<Runtime, 'credential'>): void {
  if (failure.type === 'http' && failure.kind === 'auth') discardKey(runtime);
}
