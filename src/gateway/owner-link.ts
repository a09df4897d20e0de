import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Inbound } from '../model/channel.ts';
import { partsToText } from '../model/message.ts';
import type { Store } from '../model/store.ts';
import { isPrivate } from './access.ts';

export interface OwnerLinkDeps {
  readonly store: Pick<Store, 'transaction' | 'people'>;
  readonly clock: Clock;
}

const codeLifeMs = 60 * 60 * 1000;
// As long as a key: it is clicked or scanned and never typed, and so nobody can guess it, however often they try.
const codeBytes = 16;

/** Makes a code for a link that makes whoever follows it an owner, once. Its digest alone is kept; a newer one replaces it. */
export async function inviteOwner({ store, clock }: OwnerLinkDeps): Promise<string> {
  const code = randomBytes(codeBytes).toString('hex');
  await store.people.inviteOwner({ digest: digestOf(code), expiresAt: clock.now() + codeLifeMs });
  return code;
}

/** Makes an owner of whoever follows such a link. Undefined where it is none that counts: then it is a message like any other. */
export async function bindOwner(
  inbound: Inbound,
  { store, clock, log }: OwnerLinkDeps & { readonly log: Log },
): Promise<string | undefined> {
  const code = startCodeIn(inbound);
  if (code === undefined || inbound.type !== 'message') return undefined;
  const isBound = await store.transaction(async ({ people, inbox }) => {
    const isOwner = await people.admitOwner(digestOf(code), inbound, clock.now());
    // Delivered again, it is not answered again.
    if (isOwner) await inbox.note(inbound.key);
    return isOwner;
  });
  if (isBound) log.write('info', 'someone was let in', { person: inbound.person, as: 'owner', by: 'a link' });
  return isBound
    ? 'This assistant is yours now: you are its owner. Say what you need; /help lists the commands.'
    : undefined;
}

/** Whether it has the form of such a link, good or not. Pure. */
export function isOwnerLink(inbound: Inbound): boolean {
  return startCodeIn(inbound) !== undefined;
}

/** What `t.me/BOT?start=CODE` says, in a private chat alone: in a group others would read it. Pure. */
function startCodeIn(inbound: Inbound): string | undefined {
  if (inbound.type !== 'message' || !isPrivate(inbound)) return undefined;
  return /^\/start ([0-9a-f]{32})$/.exec(partsToText(inbound.parts).trim())?.[1];
}

function digestOf(code: string): string {
  return createHash('sha256').update(`owner:${code}`).digest('hex');
}
