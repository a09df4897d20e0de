import { keyPlaces } from '../model/runtime.ts';
import type { Runtime, RuntimeChain } from '../model/runtime.ts';
import type { CoolDowns, Rest } from './cool-downs.ts';

/** Where in the chain a turn begins, and the rest of the primary if that is why it is not there. */
export interface Start {
  readonly place: number;
  readonly rest: Rest | undefined;
}

/**
 * The first key of the primary that does not rest. A limit of all its keys is the one reason to begin elsewhere: a key
 * that was refused may have been mended, and asking with it costs nothing. Pure.
 */
export function chooseStart(chain: RuntimeChain, coolDowns: Pick<CoolDowns, 'find'>, nowMs: number): Start {
  const restOf = (runtime: Runtime | undefined): Rest | undefined => runtime && coolDowns.find(runtime, nowMs);
  const keys = keyPlaces(chain, 0).map((place) => ({ place, rest: restOf(chain[place]) }));
  const usable = keys.find(({ rest }) => rest === undefined) ?? keys.find(({ rest }) => rest?.cause === 'refused');
  if (usable !== undefined) return { place: usable.place, rest: undefined };
  const awake = chain.findIndex((runtime) => restOf(runtime) === undefined);
  const [first] = keys.flatMap(({ rest }) => rest ?? []).toSorted((left, right) => left.leftMs - right.leftMs);
  return awake === -1 ? { place: 0, rest: undefined } : { place: awake, rest: first };
}

/** One line that says why the primary does not answer, and who does. */
export function describeStart({ place, rest }: Start, chain: RuntimeChain): string | undefined {
  if (rest === undefined) return undefined;
  const seconds = Math.ceil(rest.leftMs / 1000);
  const why = rest.cause === 'billing' ? 'because its account is empty' : 'after a rate limit';
  return `${chain[0].name} rests for ${seconds} s ${why}; ${chain[place]?.name} answers`;
}
