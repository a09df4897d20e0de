import { parseJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import { fetchedPricesFile, readPackageVersion, readPriceData } from './catalogue-data.ts';
import type { Environment } from './http-proxy.ts';
import type { Transport } from './transport.ts';

export type FetchedText =
  | { readonly type: 'fetched'; readonly text: string }
  | { readonly type: 'failed'; readonly reason: string };

export interface RefreshOptions {
  /** Where the data is kept for `createCatalogue`. */
  readonly folder: string;
  readonly fetchText: (url: string) => Promise<FetchedText>;
  /** Replaces a file as a whole, readable by its owner alone. */
  readonly write: (path: string, text: string) => Promise<void>;
  readonly now: () => number;
}

export type Refresh =
  | { readonly type: 'refreshed'; readonly url: string; readonly path: string; readonly models: number }
  | { readonly type: 'failed'; readonly url: string; readonly reason: string };

/** Fetches the newest prices and windows and keeps them. Nothing else ever does: the network is asked only on demand. */
export async function refreshCatalogue({ folder, fetchText, write, now }: RefreshOptions): Promise<Refresh> {
  const { REMOTE_DATA_JSON_URL: url } = await import('@pydantic/genai-prices');
  const fetched = await fetchText(url);
  if (fetched.type === 'failed') return { type: 'failed', url, reason: fetched.reason };
  const providers = readPriceData(parseJson(fetched.text));
  if (providers === undefined) return { type: 'failed', url, reason: 'what came is no price data' };
  const path = fetchedPricesFile(folder);
  const kept = { beside: await readPackageVersion(), fetchedAt: new Date(now()).toISOString(), providers };
  await write(path, JSON.stringify(kept));
  const models = providers.reduce((sum, provider) => sum + (provider['models'] as readonly Json[]).length, 0);
  return { type: 'refreshed', url, path, models };
}

const longestText = 64_000_000;
const timeouts = { connectMs: 10_000, silenceMs: 30_000, totalMs: 120_000 };

/** The text at an address, through the proxies and certificates of this machine. */
export async function downloadText(url: string, environment: Environment, signal: AbortSignal): Promise<FetchedText> {
  const { HttpTransport } = await import('./http-transport.ts');
  const network = { environment, proxies: 'as-set' } as const;
  const transport = new HttpTransport({ timeouts: () => timeouts, network });
  try {
    return await readAnswer(url, transport, signal);
  } finally {
    await transport.close();
  }
}

async function readAnswer(url: string, transport: Transport, signal: AbortSignal): Promise<FetchedText> {
  const answer = await transport.send(
    { url, method: 'GET', headers: { accept: 'application/json' }, body: '' },
    signal,
  );
  if (answer.type === 'failed') return { type: 'failed', reason: describe(answer.failure) };
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body) {
    if (piece.type === 'failed') return { type: 'failed', reason: describe(piece.failure) };
    length += piece.bytes.length;
    if (length > longestText) return { type: 'failed', reason: 'the answer is far too long' };
    pieces.push(piece.bytes);
  }
  // Only now, since a connection whose answer nobody reads stays open.
  if (answer.status !== 200) return { type: 'failed', reason: `the server answered ${answer.status}` };
  return { type: 'fetched', text: Buffer.concat(pieces).toString('utf8') };
}

function describe(failure: { readonly type: string; readonly message?: string }): string {
  return failure.message ?? failure.type;
}
