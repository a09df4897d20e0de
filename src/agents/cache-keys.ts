import { isJsonObject } from '../base/json.ts';
import type { Json } from '../base/json.ts';

/**
 * The settings that are baked into an agent when it is built, so that a change of one needs another agent: how much its
 * model reads and may answer, how long servers keep what they read, and how its conversation is shortened. What is not
 * listed is read anew for every turn, or shows in the runtimes and tools themselves.
 */
export const cacheBustingKeys = [
  'model.context_length',
  'model.max_output_tokens',
  'model.cache_ttl',
  'compression.enabled',
  'compression.threshold',
  'compression.target_ratio',
  'compression.protect_last_n',
  'compression.model',
] as const;

/** The name under which the generation of the tools stands in the extract. */
export const generationKey = 'tools.generation';

const projectGenerationKey = 'tools.project_generation';

/** What of the settings is part of a signature, by `section.key`. */
export type CacheKeys = Readonly<Record<string, Json>>;

/**
 * The listed settings as the user wrote them, before defaults and checks, and the live generation of the tools, and of those
 * of the project where it has some. What is absent counts as null, and so does all of a section that is not a mapping. Pure.
 */
export function extractCacheKeys(user: Json, generation: number, projectGeneration?: number): CacheKeys {
  const written = cacheBustingKeys.map((path) => [path, valueAt(user, path)] as const);
  const ofProject = projectGeneration === undefined ? {} : { [projectGenerationKey]: projectGeneration };
  return { ...Object.fromEntries(written), [generationKey]: generation, ...ofProject };
}

function valueAt(user: Json, path: string): Json {
  let value: Json = user;
  for (const key of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null;
    value = value[key] ?? null;
  }
  return value;
}
