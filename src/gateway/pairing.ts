import { createHash, randomInt } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { PersonId } from '../base/ids.ts';
import type { NamedPerson, Store, StoreTx } from '../model/store.ts';

export interface PairingDeps {
  readonly store: Pick<Store, 'transaction' | 'people'>;
  readonly clock: Clock;
}

interface Offered {
  readonly person: PersonId;
  readonly at: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const codeLifeMs = 15 * minuteMs;
const personPauseMs = 5 * minuteMs;
const mostOfPerson = 3;
const mostOfAll = 20;
// Crockford's alphabet: nothing in it is mistaken for something else when it is read aloud.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 8;

/** Whether someone gets a code, given the codes of the last hour. Pure. */
export function decideOffer(person: PersonId, lastHour: readonly Offered[], now: number): 'offer' | 'refuse' {
  const own = lastHour.filter((offered) => offered.person === person);
  const isTooSoon = own.some(({ at }) => now - at < personPauseMs);
  return isTooSoon || own.length >= mostOfPerson || lastHour.length >= mostOfAll ? 'refuse' : 'offer';
}

/** Makes a code for a stranger, who hands it to the owner. It is kept as a digest, and a newer one replaces it. */
export async function offerCode(
  { person, name }: NamedPerson,
  { store, clock }: PairingDeps,
): Promise<string | undefined> {
  const at = clock.now();
  const code = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  const decision = await store.transaction(async ({ people }) => {
    const decided = decideOffer(person, await people.offers(at - hourMs), at);
    const named = { person, ...(name !== undefined && { name }) };
    if (decided === 'offer') await people.offer({ digest: digestOf(code), ...named, at, expiresAt: at + codeLifeMs });
    return decided;
  });
  return decision === 'offer' ? `${code.slice(0, 4)}-${code.slice(4)}` : undefined;
}

/** Lets in whoever was given the code. Undefined where there is no such code, or it was used or is too old. */
export async function redeemCode(
  code: string,
  { store, clock }: { readonly store: Pick<StoreTx, 'people'>; readonly clock: Clock },
): Promise<PersonId | undefined> {
  return await store.people.admit(digestOf(asWritten(code)), clock.now());
}

/** What a stranger reads: the code, and whom to give it to. */
export function describeOffer(code: string): string {
  return [
    'You have no access to this assistant.',
    `If it is yours, let yourself in on the machine where it runs: talaria gateway pair ${code}`,
    'If it is not, give the code to its owner. It is good for 15 minutes.',
  ].join('\n');
}

function asWritten(code: string): string {
  return code.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1').replaceAll(/[\s-]/g, '');
}

function digestOf(code: string): string {
  return createHash('sha256').update(`pairing:${code}`).digest('hex');
}
