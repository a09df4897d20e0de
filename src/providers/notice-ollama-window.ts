import type { Runtime, RuntimeChain } from '../model/runtime.ts';
import type { ChainChoice } from './choose-runtime.ts';
import { readOllamaWindow } from './read-ollama-window.ts';

type Chosen = Extract<ChainChoice, { readonly type: 'chosen' }>;

// Less than this is used up by the tools and a few files.
const comfortableWindow = 16_384;

/**
 * Fills in how much each Ollama of a chain lets its model read at once, and warns where that is little: Ollama drops the
 * beginning of a longer prompt without a word.
 */
export async function noticeOllamaWindows(
  choice: Chosen,
  secret: (name: string) => string | undefined,
): Promise<Chosen> {
  const [primary, ...standIns] = await Promise.all(choice.chain.map((runtime) => withWindow(runtime, secret)));
  const chain: RuntimeChain = [primary ?? choice.chain[0], ...standIns];
  const small = chain.filter(({ window }, place) => isSmall(window) && choice.chain[place]?.window === undefined);
  return { ...choice, chain, warnings: [...choice.warnings, ...small.map(describeSmall)] };
}

async function withWindow(runtime: Runtime, secret: (name: string) => string | undefined): Promise<Runtime> {
  if (runtime.vendor !== 'ollama' || runtime.window !== undefined) return runtime;
  const { origin } = new URL(runtime.baseUrl);
  const contextLength = secret('OLLAMA_CONTEXT_LENGTH');
  return { ...runtime, window: await readOllamaWindow(origin, runtime.model, { contextLength }) };
}

function isSmall(window: number | undefined): boolean {
  return window !== undefined && window < comfortableWindow;
}

function describeSmall({ name, window = 0 }: Runtime): string {
  return (
    `${name} is served with a window of only ${window.toLocaleString('en')} tokens, so long work is shortened often; ` +
    'start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or give the model a larger num_ctx'
  );
}
