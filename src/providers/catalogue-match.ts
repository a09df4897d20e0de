import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { PriceData } from './catalogue-data.ts';

/** What the data says about one model. */
export interface Listing {
  readonly window: number | undefined;
  readonly prices: Json | undefined;
}

/** Our vendors by the name that the data has for them. Whoever is missing sells at prices that it does not know. */
const sellers: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  openrouter: 'openrouter',
  gemini: 'google',
  deepseek: 'deepseek',
  zai: 'zai',
  kimi: 'moonshotai',
  minimax: 'minimax',
  groq: 'groq',
  mistral: 'mistral',
  xai: 'x-ai',
  together: 'together',
};

/** Whether the data can know anything of a vendor's models: to look it up takes a while. */
export function isListed(vendor: string): boolean {
  return vendor === 'huggingface' || Object.hasOwn(sellers, vendor);
}

/**
 * The listing of a model, or undefined. The data names some models by how their names begin, and then a new version
 * passes for the old one: such a rule counts only for the very name and for dated snapshots of it. Pure.
 */
export function findListing(data: PriceData, vendor: string, model: string): Listing | undefined {
  const { seller, name } = findSeller(vendor, model.toLowerCase());
  const models = data.find((provider) => provider['id'] === seller)?.['models'];
  if (seller === undefined || !Array.isArray(models)) return undefined;
  const found = (models as readonly Json[]).find((entry) => isJsonObject(entry) && fits(entry['match'], name));
  return isJsonObject(found) ? readListing(found, name) : undefined;
}

/** Hugging Face sends a request on to others; which of them, and so the price, is known only where the name says so. */
function findSeller(vendor: string, name: string): { readonly seller: string | undefined; readonly name: string } {
  if (vendor !== 'huggingface') return { seller: sellers[vendor], name };
  const colon = name.lastIndexOf(':');
  return colon === -1
    ? { seller: undefined, name }
    : { seller: `huggingface_${name.slice(colon + 1)}`, name: name.slice(0, colon) };
}

function readListing({ prices, context_window: window }: JsonObject, name: string): Listing {
  // The data has no price at all both for what is free and for what it does not know.
  const isFree = isJsonObject(prices) && Object.keys(prices).length === 0 && name.endsWith(':free');
  return {
    window: typeof window === 'number' && window > 0 ? window : undefined,
    prices: isFree ? { input_mtok: 0, cache_read_mtok: 0, cache_write_mtok: 0, output_mtok: 0 } : prices,
  };
}

// A date in full, as year and month, or as month and day; or the word for "whichever is the newest".
const snapshot = /[-@](?:20\d\d-?\d\d-?\d\d|2[3-9](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|latest)$/;

/** Whether a rule means this name, and not just names that look like it. */
function fits(rule: Json | undefined, name: string): boolean {
  if (rule === undefined || !matches(rule, name)) return false;
  const [kind, value] = readRule(rule);
  if (Array.isArray(value)) return (value as readonly Json[]).some((inner) => fits(inner, name));
  if (kind === 'equals' || typeof value !== 'string') return kind === 'equals';
  if (kind === 'regex') return value.startsWith('^') && value.endsWith('$');
  const from = name.indexOf(value.toLowerCase());
  const isWholeBeginning = from === 0 || name[from - 1] === '/';
  return isWholeBeginning && from + value.length >= name.replace(snapshot, '').length;
}

/** Whether a rule matches as the data means it, loosely. */
function matches(rule: Json, name: string): boolean {
  const [kind, value] = readRule(rule);
  if (Array.isArray(value)) {
    const rules = value as readonly Json[];
    if (kind === 'and') return rules.every((inner) => matches(inner, name));
    return kind === 'or' && rules.some((inner) => matches(inner, name));
  }
  return typeof value === 'string' && (comparisons[kind]?.(name, value) ?? false);
}

function readRule(rule: Json): readonly [string, Json | undefined] {
  return isJsonObject(rule) ? (Object.entries(rule)[0] ?? ['', undefined]) : ['', undefined];
}

const comparisons: Readonly<Record<string, (name: string, text: string) => boolean>> = {
  equals: (name, text) => name === text.toLowerCase(),
  starts_with: (name, text) => name.startsWith(text.toLowerCase()),
  ends_with: (name, text) => name.endsWith(text.toLowerCase()),
  contains: (name, text) => name.includes(text.toLowerCase()),
  regex: matchesPattern,
};

function matchesPattern(name: string, source: string): boolean {
  try {
    return new RegExp(source).test(name);
  } catch {
    return false; // A pattern that cannot be read matches nothing.
  }
}
