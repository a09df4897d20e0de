import { join } from 'node:path';
import type { ApiMode } from '../src/model/runtime.ts';
import { saysAnthropic } from '../test/support/anthropic-script.ts';
import { says } from '../test/support/model-script.ts';
import type { ModelStep } from '../test/support/model-script.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { saysResponses } from '../test/support/responses-script.ts';
import type { Figure } from './figure.ts';
import { runToEnd } from './measure.ts';
import type { Centre } from './measure.ts';

const tokens = 2000;
const rounds = 25;
const longText = Array.from({ length: tokens }, (_, index) => `word${index}`).join(' ');

const speakers: Readonly<Record<ApiMode, (text: string) => ModelStep>> = {
  chat_completions: (text) => says(text),
  anthropic_messages: (text) => saysAnthropic(text),
  codex_responses: (text) => saysResponses(text),
};

interface Times {
  readonly bare: number;
  readonly ours: number;
  readonly bareShort: number;
  readonly oursShort: number;
  /** Milliseconds of the processor that a stream takes more than a bare one. */
  readonly added: Centre;
}

/** What each protocol adds to a bare call: for a whole short request, and for each token of a long stream. */
export async function measureProtocols(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [apiMode, say] of Object.entries(speakers) as [ApiMode, (text: string) => ModelStep][]) {
    const [long, short] = [say(longText), say('hi')];
    await using server = await startModelServer(({ body }) => (body.includes('"short"') ? short : long));
    const client = join(import.meta.dirname, 'protocol-client.ts');
    const { output } = await runToEnd({
      file: process.execPath,
      args: [client, apiMode, server.baseUrl, String(rounds)],
    });
    figures.push(...describe(apiMode, JSON.parse(output) as Times));
  }
  return figures;
}

function describe(apiMode: ApiMode, { bare, ours, bareShort, oursShort, added }: Times): readonly Figure[] {
  return [
    {
      name: `${apiMode}: a request`,
      value: oursShort,
      unit: 'ms',
      floor: { name: 'a bare call', value: bareShort },
      bar: { type: 'none' },
    },
    {
      name: `${apiMode}: ${tokens.toLocaleString('en')} streamed tokens`,
      value: ours,
      unit: 'ms',
      floor: { name: 'a bare call', value: bare },
      bar: { type: 'none' },
    },
    {
      name: `${apiMode}: processor time added by each token`,
      value: perToken(added.median),
      spread: perToken(added.spread),
      unit: 'µs',
      floor: undefined,
      bar: { type: 'none' },
    },
  ];
}

function perToken(ms: number): number {
  return (ms * 1000) / tokens;
}
