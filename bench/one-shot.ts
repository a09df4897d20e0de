import { estimateTokenCount } from 'tokenx';
import type { ModelServer } from '../test/support/model-server.ts';
import type { Figure } from './figure.ts';
import { medianTimes, runToEnd } from './measure.ts';
import { askModel } from './bare-programs.ts';
import type { Product } from './product.ts';

/** One whole turn, from the command line to the reply: beside an empty program, and beside a bare call of the model. */
export async function measureOneShot(product: Product, server: ModelServer): Promise<readonly Figure[]> {
  const empty = await product.writeBare('empty.mjs', '');
  const call = await product.writeBare('call.mjs', askModel(server.baseUrl));
  const times = await medianTimes(
    {
      empty: () => runToEnd(empty),
      call: () => runToEnd(call),
      turn: () => runToEnd(product.talaria(['run', 'say hi'])),
    },
    21,
  );
  const turn = { name: 'one-shot turn (run "say hi")', value: times.turn, unit: 'ms' } as const;
  return [
    { ...turn, floor: { name: 'an empty program', value: times.empty }, bar: { type: 'times-floor', most: 5 } },
    { ...turn, floor: { name: 'a bare model call', value: times.call }, bar: { type: 'none' } },
  ];
}

/** What the first request of a conversation costs before anything was said. */
export async function measureFirstRequest(product: Product, server: ModelServer): Promise<readonly Figure[]> {
  const before = server.requests.length;
  await runToEnd(product.talaria(['run', 'say hi']));
  const body = server.requests[before]?.body ?? '';
  const first = { floor: undefined } as const;
  return [
    { ...first, name: 'first request', value: Buffer.byteLength(body), unit: 'bytes', bar: { type: 'none' } },
    {
      ...first,
      name: 'first request, estimated',
      value: estimateTokenCount(body),
      unit: 'tokens',
      bar: { type: 'limit', most: 2500 },
    },
  ];
}
