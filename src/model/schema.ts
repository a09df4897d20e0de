import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';

export type Parsed<Value> =
  | { readonly type: 'valid'; readonly value: Value }
  | { readonly type: 'invalid'; readonly problems: readonly Problem[] };

/** Something wrong with a value, and the keys that lead to it. */
export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The shape of a value: checks it, and describes itself as JSON Schema. A validation library would cost more than the
 * whole start of the program, and this path runs at every start.
 */
export interface Schema<Value> {
  readonly json: JsonObject;
  readonly isOptional: boolean;
  parse(value: Json | undefined, path?: readonly string[]): Parsed<Value>;
}

export type ValueOf<Shape> = Shape extends Schema<infer Value> ? Value : never;

export function string(
  description: string,
  limits: { readonly minLength?: number; readonly examples?: readonly string[] } = {},
): Schema<string> {
  return define({ type: 'string', description, ...limits }, (value, path) => {
    const such = limits.examples === undefined ? '' : ` such as ${limits.examples.join(' or ')}`;
    if (typeof value !== 'string') return invalid(path, `must be text${such}, not ${nameType(value)}`);
    if (value.length < (limits.minLength ?? 0)) return invalid(path, 'must not be empty');
    return valid(value);
  });
}

export function integer(
  description: string,
  limits: { readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  return define({ type: 'integer', description, ...limits }, (value, path) => {
    // Models often write numbers as text; a number in quotes has only one meaning.
    const whole = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (typeof whole !== 'number' || !Number.isInteger(whole))
      return invalid(path, `must be a whole number, not ${nameType(value)}`);
    if (whole < (limits.minimum ?? -Infinity)) return invalid(path, `must be at least ${limits.minimum}`);
    if (whole > (limits.maximum ?? Infinity)) return invalid(path, `must be at most ${limits.maximum}`);
    return valid(whole);
  });
}

/** Any number, for amounts of money and shares; whole numbers have `integer`. */
export function number(
  description: string,
  limits: { readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  return define({ type: 'number', description, ...limits }, (value, path) => {
    if (typeof value !== 'number' || !Number.isFinite(value))
      return invalid(path, `must be a number, not ${nameType(value)}`);
    if (value < (limits.minimum ?? -Infinity)) return invalid(path, `must be at least ${limits.minimum}`);
    if (value > (limits.maximum ?? Infinity)) return invalid(path, `must be at most ${limits.maximum}`);
    return valid(value);
  });
}

export function boolean(description: string): Schema<boolean> {
  return define({ type: 'boolean', description }, (value, path) => {
    if (value === true || value === 'true') return valid(true);
    if (value === false || value === 'false') return valid(false);
    return invalid(path, `must be true or false, not ${nameType(value)}`);
  });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[], description: string): Schema<Choice> {
  return define({ type: 'string', enum: choices, description }, (value, path) => {
    const choice = choices.find((candidate) => candidate === value);
    return choice === undefined ? invalid(path, `must be one of ${choices.join(', ')}`) : valid(choice);
  });
}

export function list<Item>(item: Schema<Item>, description: string): Schema<readonly Item[]> {
  return define({ type: 'array', items: item.json, description }, (value, path) => {
    if (!Array.isArray(value)) return invalid(path, `must be a list, not ${nameType(value)}`);
    const parsed = (value as readonly Json[]).map((entry, index) => item.parse(entry, [...path, String(index)]));
    const problems = parsed.flatMap((result) => (result.type === 'invalid' ? result.problems : []));
    if (problems.length > 0) return { type: 'invalid', problems };
    return valid(parsed.flatMap((result) => (result.type === 'valid' ? [result.value] : [])));
  });
}

/** One item or a list of them; either way a list comes out. */
export function oneOrMany<Item>(item: Schema<Item>, description: string): Schema<readonly Item[]> {
  const many = list(item, description);
  const json: JsonObject = { description, anyOf: [item.json, many.json] };
  return define(json, (value, path) => {
    if (Array.isArray(value)) return many.parse(value, path);
    const one = item.parse(value ?? null, path);
    return one.type === 'valid' ? valid([one.value]) : one;
  });
}

export function optional<Value>(schema: Schema<Value>): Schema<Value | undefined> {
  return {
    json: schema.json,
    isOptional: true,
    parse: (value, path = []) => (value === undefined || value === null ? valid(undefined) : schema.parse(value, path)),
  };
}

/** A mapping from names that the user chooses to values of one shape. */
export function record<Value>(item: Schema<Value>, description: string): Schema<Readonly<Record<string, Value>>> {
  return define({ type: 'object', additionalProperties: item.json, description }, (value, path) => {
    if (!isJsonObject(value)) return invalid(path, `must be a mapping, not ${nameType(value)}`);
    const result: Record<string, Value> = {};
    const problems: Problem[] = [];
    for (const [key, entry] of Object.entries(value)) {
      const parsed = item.parse(entry, [...path, key]);
      if (parsed.type === 'invalid') problems.push(...parsed.problems);
      else result[key] = parsed.value;
    }
    return problems.length > 0 ? { type: 'invalid', problems } : valid(result);
  });
}

type Fields = Readonly<Record<string, Schema<unknown>>>;
type ObjectOf<Shape extends Fields> = { readonly [Key in keyof Shape]: ValueOf<Shape[Key]> };

/** An object with these fields. Unknown fields are left out of the value; who minds them asks `unknownKeys`. */
export function object<const Shape extends Fields>(fields: Shape, description?: string): Schema<ObjectOf<Shape>> {
  const required = Object.keys(fields).filter((key) => fields[key]?.isOptional === false);
  const properties: Record<string, Json> = {};
  for (const [key, schema] of Object.entries(fields)) properties[key] = schema.json;
  const json: JsonObject = {
    type: 'object',
    properties,
    required,
    ...(description === undefined ? {} : { description }),
  };
  return define(json, (value, path) => {
    if (!isJsonObject(value)) return invalid(path, `must be a mapping, not ${nameType(value)}`);
    const result: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const [key, schema] of Object.entries(fields)) {
      const parsed = parseField(schema, value[key], [...path, key]);
      if (parsed.type === 'invalid') problems.push(...parsed.problems);
      else if (parsed.value !== undefined) result[key] = parsed.value;
    }
    return problems.length > 0 ? { type: 'invalid', problems } : valid(result as ObjectOf<Shape>);
  });
}

function parseField(schema: Schema<unknown>, value: Json | undefined, path: readonly string[]): Parsed<unknown> {
  if (value === undefined && !schema.isOptional) return invalid(path, 'is missing');
  return schema.parse(value, path);
}

export function describeProblems(problems: readonly Problem[]): string {
  return problems
    .map((problem) => [problem.path.join('.'), problem.message].filter((text) => text !== '').join(' '))
    .join('; ');
}

function define<Value>(
  json: JsonObject,
  parse: (value: Json | undefined, path: readonly string[]) => Parsed<Value>,
): Schema<Value> {
  return { json, isOptional: false, parse: (value, path = []) => parse(value, path) };
}

function valid<Value>(value: Value): Parsed<Value> {
  return { type: 'valid', value };
}

function invalid(
  path: readonly string[],
  message: string,
): { readonly type: 'invalid'; readonly problems: readonly Problem[] } {
  return { type: 'invalid', problems: [{ path, message }] };
}

function nameType(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `${typeof value} ${JSON.stringify(value).slice(0, 40)}`;
}
