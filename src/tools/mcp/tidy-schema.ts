import { isJsonObject } from '../../base/json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { removeInvisible } from '../../base/remove-invisible.ts';

const deepest = 24;

/**
 * A schema of a tool as strict vendors take it: an object at the top, with fields, and nothing there that chooses between
 * shapes; types that may be null are their other type; nothing is required that does not exist. Pure.
 */
export function tidySchema(schema: JsonObject): JsonObject {
  const tidy = tidyNode(schema, 0);
  const { properties, required, $defs, definitions, description, additionalProperties } = (
    isJsonObject(tidy) ? tidy : {}
  ) as Readonly<Record<string, Json | undefined>>;
  const fields = isJsonObject(properties) ? properties : {};
  return {
    type: 'object',
    properties: fields,
    required: knownFields(required, fields),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
    ...(isJsonObject($defs) ? { $defs } : {}),
    ...(isJsonObject(definitions) ? { definitions } : {}),
  };
}

function knownFields(required: Json | undefined, fields: JsonObject): readonly string[] {
  const names = Array.isArray(required) ? (required as readonly Json[]) : [];
  return names.filter((name): name is string => typeof name === 'string' && Object.hasOwn(fields, name));
}

function tidyNode(node: Json, depth: number): Json {
  if (depth > deepest) return {};
  if (typeof node === 'string') return removeInvisible(node).text;
  if (Array.isArray(node)) return (node as readonly Json[]).map((item) => tidyNode(item, depth + 1));
  if (!isJsonObject(node)) return node;
  const shape = withoutNull(node);
  const tidy: Record<string, Json> = {};
  for (const [key, value] of Object.entries(shape)) {
    if (key === '$schema' || key === '$id' || (key === 'default' && '$ref' in shape)) continue;
    tidy[key] = schemaMaps.has(key) && isJsonObject(value) ? tidyMap(value, depth) : tidyNode(value, depth + 1);
  }
  return completeObject(tidy);
}

// What stands below these are names that the server chose, and no words of the schema.
const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

function tidyMap(map: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(map).map(([name, inner]): [string, Json] => {
    // A bare word stands for the type.
    return [name, tidyNode(typeof inner === 'string' ? { type: inner } : inner, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function completeObject(node: Readonly<Record<string, Json>>): JsonObject {
  if (node['type'] !== 'object' || '$ref' in node) return node;
  const { properties = {}, required, ...rest } = node;
  const fields = isJsonObject(properties) ? properties : {};
  return {
    ...rest,
    properties: fields,
    ...(required === undefined ? {} : { required: knownFields(required, fields) }),
  };
}

/** A shape without the choice of being null. */
function withoutNull(node: JsonObject): JsonObject {
  const { type, anyOf, oneOf, ...rest } = node as Readonly<Record<string, Json | undefined>>;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(type)) {
    const types = (type as readonly Json[]).filter((each) => each !== 'null');
    const [only] = types;
    if (types.length === 1 && only !== undefined) return withoutNull({ ...node, type: only });
    return { ...definedOnly(rest), anyOf: types.map((each) => ({ type: each })) };
  }
  if (!Array.isArray(choices)) return node;
  const others = (choices as readonly Json[]).filter((each) => !(isJsonObject(each) && each['type'] === 'null'));
  const [only] = others;
  if (others.length === 1 && isJsonObject(only)) return { ...only, ...definedOnly(rest) };
  return { ...definedOnly(rest), ...(type === undefined ? {} : { type }), anyOf: others };
}

function definedOnly(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
