import { hash } from 'node:crypto';

import type { CallId } from '../base/ids.ts';

/** Gives the call at a position of an answer its id: the one that the server offered, if that can be. */
export type CallNamer = (position: number, offered: string) => CallId;

/**
 * Gives calls their ids. One that the server left out, or gave twice, is replaced by one that follows from the request:
 * the same answer to the same request always has the same ids.
 */
export function createCallNamer(body: string): CallNamer {
  const taken = new Set<string>();
  return (position, offered) => {
    const isFree = offered !== '' && !taken.has(offered);
    const id = isFree ? offered : `call_${hash('sha256', body).slice(0, 16)}_${position}`;
    taken.add(id);
    return id as CallId;
  };
}
