import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';

/** A key that a schema does not know, and those that it knows beside it. */
export interface UnknownKey {
  readonly path: readonly string[];
  readonly known: readonly string[];
}

/** The keys of a value that its schema does not know. Pure. */
export function unknownKeys(value: Json, schema: JsonObject, path: readonly string[] = []): readonly UnknownKey[] {
  const shape = shapeFor(value, schema);
  if (Array.isArray(value)) return inList(value as readonly Json[], shape['items'], path);
  const properties = shape['properties'];
  const others = shape['additionalProperties'];
  if (!isJsonObject(value) || (!isJsonObject(properties) && !isJsonObject(others))) return [];
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  return Object.entries(value).flatMap(([key, entry]) => {
    const inner = isJsonObject(properties) ? properties[key] : others;
    return isJsonObject(inner) ? unknownKeys(entry, inner, [...path, key]) : [{ path: [...path, key], known }];
  });
}

function inList(entries: readonly Json[], items: Json | undefined, path: readonly string[]): readonly UnknownKey[] {
  if (!isJsonObject(items)) return [];
  return entries.flatMap((entry, index) => unknownKeys(entry, items, [...path, String(index)]));
}

/** Where a schema leaves a choice, the shape that the value has. */
function shapeFor(value: Json, schema: JsonObject): JsonObject {
  const options = schema['anyOf'];
  if (!Array.isArray(options)) return schema;
  const telling = Array.isArray(value) ? 'items' : 'properties';
  return (options as readonly Json[]).filter(isJsonObject).find((option) => telling in option) ?? schema;
}
