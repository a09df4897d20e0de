import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { askOllama } from './ask-ollama.ts';

export interface WindowOptions {
  /** The value of `OLLAMA_CONTEXT_LENGTH`, which counts where the server has the same environment. */
  readonly contextLength?: string | undefined;
  readonly patienceMs?: number;
}

const defaultPatienceMs = 1000;

// What Ollama gives a model on a machine with less than 24 GiB of video memory (docs.ollama.com/context-length). With
// more it gives more; which it is can be seen once the model is loaded.
const smallestDefault = 4096;

/**
 * How many tokens an Ollama lets a model read at once, which is often far less than the model could: what it was loaded
 * with, else what it would be loaded with. Undefined where no Ollama answers or it does not have the model.
 */
export async function readOllamaWindow(
  origin: string,
  model: string,
  options: WindowOptions = {},
): Promise<number | undefined> {
  const deadline = AbortSignal.timeout(options.patienceMs ?? defaultPatienceMs);
  const running = await askOllama(new URL('/api/ps', origin), deadline);
  const loaded = windowOfLoaded(running, model);
  if (loaded !== undefined) return loaded;
  const shown = await askOllama(new URL('/api/show', origin), deadline, { model });
  return isJsonObject(shown) ? windowWhenLoaded(shown, model, options.contextLength) : undefined;
}

function windowOfLoaded(running: Json | undefined, model: string): number | undefined {
  const models =
    isJsonObject(running) && Array.isArray(running['models']) ? (running['models'] as readonly Json[]) : [];
  const found = models.find((entry) => isJsonObject(entry) && wholeName(entry['name']) === wholeName(model));
  return isJsonObject(found) ? tokens(found['context_length']) : undefined;
}

function windowWhenLoaded(shown: JsonObject, model: string, contextLength: string | undefined): number {
  const most = mostOf(shown['model_info']);
  // A model in the vendor's cloud is served with all that it has.
  if (/[:-]cloud$/.test(model) && most !== undefined) return most;
  const asked = askedFor(shown['parameters']) ?? tokens(Number(contextLength ?? Number.NaN)) ?? smallestDefault;
  return Math.min(asked, most ?? asked);
}

/** The window in a model's own parameters, which come as the lines of its file. */
function askedFor(parameters: Json | undefined): number | undefined {
  const line = typeof parameters === 'string' ? /^num_ctx\s+(\d+)\s*$/m.exec(parameters) : null;
  return tokens(Number(line?.[1] ?? Number.NaN));
}

/** What the model was made for, under the name of its family. */
function mostOf(info: Json | undefined): number | undefined {
  if (!isJsonObject(info)) return undefined;
  const name = Object.keys(info).find((key) => key.endsWith('.context_length'));
  return name === undefined ? undefined : tokens(info[name]);
}

function wholeName(name: Json | undefined): string {
  const text = typeof name === 'string' ? name : '';
  return text.includes(':') ? text : `${text}:latest`;
}

function tokens(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
