import type { FetchLike } from '@modelcontextprotocol/client';

const longestMs = 30_000;

/** The library waits for ever for whoever gives the logins; this does not. */
export function withDeadline(ask: FetchLike): FetchLike {
  return (url, init = {}) => {
    const late = AbortSignal.timeout(longestMs);
    return ask(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late]) : late });
  };
}
