import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Inbound } from '../model/channel.ts';
import { partsToText } from '../model/message.ts';
import type { Store } from '../model/store.ts';
import type { IntakeDeps } from './intake.ts';

/** What someone without access can do about it: ask with a code, or follow a link that makes an owner. */
export function createWaysIn(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}): Pick<IntakeDeps, 'offerPairing' | 'bindOwner'> {
  return {
    async offerPairing(from) {
      const { describeOffer, offerCode } = await import('./pairing.ts');
      const code = await offerCode(from, deps);
      if (code === undefined) return undefined;
      const isLink = saysStart(from) && (await import('./owner-link.ts')).isOwnerLink(from);
      return isLink ? `${staleLink}\n${describeOffer(code)}` : describeOffer(code);
    },
    async bindOwner(from) {
      if (from.address.platform === 'terminal' || !saysStart(from)) return undefined;
      const { bindOwner } = await import('./owner-link.ts');
      return await bindOwner(from, deps);
    },
  };
}

// Whether it was ever one is nobody's business.
const staleLink =
  'This link was used or is too old: talaria gateway setup, on the machine where it runs, prints a new one.';

/** Whether it can be a link that makes an owner; what those are is loaded only then. */
function saysStart(inbound: Inbound): boolean {
  return inbound.type === 'message' && partsToText(inbound.parts).trimStart().startsWith('/start ');
}
