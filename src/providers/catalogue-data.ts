import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, systemErrorCode } from '../base/errors.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';

/** The providers of the data package, or of its newer copy, as they stand there. */
export type PriceData = readonly JsonObject[];

/** Data that was fetched, and the version of the package that it was fetched beside. */
interface FetchedPrices {
  readonly beside: string;
  readonly providers: PriceData;
}

export function fetchedPricesFile(folder: string): string {
  return join(folder, 'prices.json');
}

/** What was fetched, where it is newer than the package; else the package's own data. */
export async function loadPriceData(folder: string, warn: (problem: string) => void): Promise<PriceData> {
  const fetched = await readFetched(fetchedPricesFile(folder), warn);
  // A package that came after the fetching is the newer of the two.
  if (fetched !== undefined && fetched.beside === (await readPackageVersion())) return fetched.providers;
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  // Despite its name this waits for nothing unless the package was told to update itself, which nobody does here.
  return ((await waitForUpdate()) ?? []) as unknown as PriceData;
}

/** The version of the installed data package. */
export async function readPackageVersion(): Promise<string> {
  const manifest = new URL('../package.json', import.meta.resolve('@pydantic/genai-prices'));
  const parsed = parseJson(await readFile(manifest, 'utf8'));
  return isJsonObject(parsed) && typeof parsed['version'] === 'string' ? parsed['version'] : '';
}

async function readFetched(path: string, warn: (problem: string) => void): Promise<FetchedPrices | undefined> {
  try {
    const kept = parseJson(await readFile(path, 'utf8'));
    const providers = isJsonObject(kept) ? readPriceData(kept['providers']) : undefined;
    if (isJsonObject(kept) && typeof kept['beside'] === 'string' && providers !== undefined)
      return { beside: kept['beside'], providers };
    warn(`${path} is damaged: the prices that came with the program are used until they are fetched again`);
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') warn(`the fetched prices could not be read: ${describeError(thrown)}`);
  }
  return undefined;
}

/** The data where it has the form of price data; undefined where it does not. */
export function readPriceData(value: Json | undefined): PriceData | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const providers = value as readonly Json[];
  return providers.every(isProvider) ? providers : undefined;
}

function isProvider(value: Json): value is JsonObject {
  if (!isJsonObject(value) || typeof value['id'] !== 'string' || !Array.isArray(value['models'])) return false;
  return (value['models'] as readonly Json[]).every(
    (model) =>
      isJsonObject(model) && typeof model['id'] === 'string' && isJsonObject(model['match']) && 'prices' in model,
  );
}
