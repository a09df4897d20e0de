import type { Provider } from '../../model/provider.ts';
import type { Runtime, RuntimeName } from '../../model/runtime.ts';
import type { FrozenPrompt } from '../../model/session.ts';
import type { StepDeps } from '../step-deps.ts';

/** A model that is ready to write a summary; given back when it goes out of scope. */
export interface Writer extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly client: Provider;
}

/** What shortening a conversation takes besides what every step takes. */
export interface CompactionDeps extends StepDeps {
  readonly compaction: StepDeps['compaction'] & {
    /** What is known about a model where neither the settings nor its server say how much it reads at once. */
    readonly knownWindow: (runtime: RuntimeName) => Promise<number | undefined>;
    /** The model that the settings name for summaries. Rejects where it cannot be had. */
    readonly openWriter: (model: string) => Promise<Writer>;
    /** The session's prompt as it would be made now: the one that it has, where nothing of it changed. */
    readonly remakePrompt: () => Promise<FrozenPrompt>;
    /** From now on the session speaks with this one, which is frozen. */
    readonly takePrompt: (prompt: FrozenPrompt) => void;
  };
}

const usualWindow = 128_000;

/** How many tokens a model reads at once. */
export async function windowOf(runtime: Runtime, { compaction }: CompactionDeps): Promise<number> {
  return runtime.window ?? (await compaction.knownWindow(runtime.name)) ?? usualWindow;
}
