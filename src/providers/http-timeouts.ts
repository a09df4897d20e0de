import type { Runtime } from '../model/runtime.ts';

export interface HttpTimeouts {
  /** From the first packet to a connection that is ready to use, name look-up and TLS included. */
  readonly connectMs: number;
  /** The longest silence, before the answer and inside it; undefined allows any. */
  readonly silenceMs: number | undefined;
  /** For the whole exchange, so that a server which sends a byte now and then cannot hold a turn for ever. */
  readonly totalMs: number;
}

const second = 1000;
const longPrompt = 200_000;
const veryLongPrompt = 400_000;

/**
 * How long to wait for whom. A local model may be silent while it loads and reads, for as long as that takes; a remote
 * one that is silent has been lost, though a longer prompt earns it more time. Pure.
 */
export function decideTimeouts(place: Runtime['place'], bodyBytes: number): HttpTimeouts {
  const limits = { connectMs: 10 * second, totalMs: 1800 * second };
  if (place !== 'remote') return { ...limits, silenceMs: undefined };
  if (bodyBytes > veryLongPrompt) return { ...limits, silenceMs: 300 * second };
  return { ...limits, silenceMs: (bodyBytes > longPrompt ? 240 : 180) * second };
}
