import { shortId } from '../base/ids.ts';
import type { PersonId } from '../base/ids.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { mayBeTold } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { Lanes } from './lanes.ts';
import { placeWords } from './place-words.ts';
import { findReach } from './reachable-sessions.ts';
import type { StandingConsents } from './standing-consents.ts';
import type { Tellings } from './tellings.ts';
import type { Yolo } from './yolo.ts';

export interface TakeOverDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'sessions' | 'turns' | 'transaction'>;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly yolo: Pick<Yolo, 'switchOff'>;
  readonly consents: Pick<StandingConsents, 'forget'>;
  readonly tellings: Pick<Tellings, 'answer' | 'tell'>;
}

/**
 * Has a session go on at another address, with nothing allowed there that was allowed where it comes from. The chat or the
 * terminal that loses it is told. One that works stays where it is.
 */
export async function takeOverSession(session: Session, to: Place, deps: TakeOverDeps): Promise<Session | 'at-work'> {
  const { yolo, consents } = deps;
  const taken = await moveIdle(session, to, deps);
  if (taken === 'at-work') return taken;
  yolo.switchOff(session.id);
  consents.forget(session.id);
  if (taken.wasAnswering) await tellOfMove(session, to.address, deps);
  return taken.session;
}

/** Where a session goes on, and whose it is there; left out: whose it was. */
export interface Place {
  readonly address: Address;
  readonly person?: PersonId;
}

interface Moved {
  readonly session: Session;
  /** Whether its address was talking to it. */
  readonly wasAnswering: boolean;
}

/** What was put off in it moves along. What is said to it in this very moment would be answered in the wrong place. */
async function moveIdle({ id, address }: Session, to: Place, deps: TakeOverDeps): Promise<Moved | 'at-work'> {
  const { store, lanes } = deps;
  const putOff = new Set((await store.turns.unsettled(id)).map(({ turnId }) => turnId));
  return await store.transaction(async ({ turns, sessions }) => {
    const isSpokenTo = (await turns.unsettled(id)).some(({ turnId }) => !putOff.has(turnId));
    if (isSpokenTo || lanes.isBusy(id)) return 'at-work';
    const wasAnswering = (await sessions.find(address))?.id === id;
    return { session: await sessions.resume(id, to.address, to.person), wasAnswering };
  });
}

/** What whoever took a session over should know about the chat that it was in, in sentences. Pure. */
export function describeMove(from: Address, to: Address): readonly string[] {
  if (from.platform === to.platform) return [];
  return [`It was ${placeWords(from)}; there a new one begins with the next message.`];
}

/** Who writes there is not to find themselves in an empty conversation unawares. Between terminals whoever serves them tells. */
async function tellOfMove(session: Session, to: Address, deps: TakeOverDeps): Promise<void> {
  const { address, person, workdir } = session;
  if (address.platform === to.platform) return;
  if (address.platform === 'terminal') {
    deps.tellings.tell(address, describeLoss(session, to, 'can-be-taken-back'));
    return;
  }
  if (!(await mayBeTold({ address, person }, deps))) return;
  const { type } = await findReach({ address, person }, deps);
  const text = describeLoss(session, to, type === 'chat' ? 'is-lost' : 'can-be-taken-back');
  await deps.tellings.answer({ address, person, workdir }, text);
}

function describeLoss({ id, title }: Session, to: Address, wayBack: 'can-be-taken-back' | 'is-lost'): string {
  const what = title === '' ? 'This conversation' : `“${title}”`;
  const back = wayBack === 'is-lost' ? '' : ` /resume ${shortId(id)} takes it back.`;
  return `${what} is ${placeWords(to)} now: what you write here begins a new conversation.${back}`;
}
