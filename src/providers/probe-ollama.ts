import { isJsonObject } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import { askOllama } from './ask-ollama.ts';

export type OllamaProbe =
  | { readonly type: 'absent' }
  | { readonly type: 'present'; readonly models: readonly string[] };

const defaultPatienceMs = 150;

/** Whether an Ollama answers there, and with which models, most recently changed first. */
export async function probeOllama(origin: string, patienceMs: number = defaultPatienceMs): Promise<OllamaProbe> {
  const answer = await askOllama(new URL('/api/tags', origin), AbortSignal.timeout(patienceMs));
  return isJsonObject(answer) && Array.isArray(answer['models'])
    ? { type: 'present', models: readModels(answer['models']) }
    : { type: 'absent' };
}

/** The models that can talk: those which only embed text are of another family. */
function readModels(models: readonly Json[]): readonly string[] {
  return models.flatMap((model) => {
    if (!isJsonObject(model) || typeof model['name'] !== 'string') return [];
    const family = isJsonObject(model['details']) ? model['details']['family'] : '';
    const isEmbedder = /embed/i.test(model['name']) || (typeof family === 'string' && /bert/i.test(family));
    return isEmbedder ? [] : [model['name']];
  });
}
