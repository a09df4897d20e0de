export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** JSON with sorted keys and no spaces: equal values give equal bytes, whatever order they were built in. */
export function stableJson(value: Json): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: Json): Json {
  if (isJsonArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const sorted: Record<string, Json> = {};
  for (const key of Object.keys(value).toSorted()) sorted[key] = sortKeys(value[key] ?? null);
  return sorted;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Parses text from outside; undefined stands for text that is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
