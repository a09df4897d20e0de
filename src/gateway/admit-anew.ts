import type { Clock } from '../base/clock.ts';
import { newId, shortId } from '../base/ids.ts';
import type { ResetSettings } from '../model/config.ts';
import type { Session } from '../model/session.ts';
import type { Store, StoreTx } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import type { ResetReason } from './decide-reset.ts';
import { describeTime } from './describe-wait.ts';
import { keepParts } from './keep-images.ts';
import type { InboundMessage } from './keep-images.ts';
import { noteNew } from './note-new.ts';
import { replyTarget } from './reply-target.ts';

export interface AnewDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly reset: ResetSettings;
  readonly clock: Clock;
}

export type Anew =
  | {
      readonly type: 'admitted';
      readonly turn: TurnRef;
      readonly session: 'renewed' | 'as-it-was';
      /** How many turns are to be run first. */
      readonly before: number;
    }
  | { readonly type: 'duplicate' };

const noticeLifeMs = 24 * 60 * 60 * 1000;

/** Takes back everything that was written together with a message that had been accepted before. */
class AcceptedBefore extends Error {
  override readonly name = 'AcceptedBefore';
}

/**
 * Admits a message into a new session in the place of one that is over, and has the chat told how to get back. All of it
 * is durable at once, so that a message which comes again renews nothing.
 */
export async function admitAnew(
  inbound: InboundMessage,
  old: Session,
  reason: ResetReason,
  deps: AnewDeps,
): Promise<Anew> {
  try {
    return await deps.store.transaction((tx) =>
      renewAndAccept(inbound, describeReset(old, reason, deps), old, { ...deps, tx }),
    );
  } catch (thrown) {
    if (thrown instanceof AcceptedBefore) return { type: 'duplicate' };
    throw thrown;
  }
}

async function renewAndAccept(
  inbound: InboundMessage,
  notice: string,
  old: Session,
  { tx, clock, reset }: AnewDeps & { readonly tx: StoreTx },
): Promise<Anew> {
  const current = await tx.sessions.at(inbound);
  // Another message may have come first, to a new session or to the old one.
  const before = (await tx.turns.unsettled(current.id)).length;
  const isOver = current.id === old.id && before === 0;
  const { id: sessionId, address } = isOver ? await tx.sessions.renew(inbound) : current;
  const turn: TurnRef = { sessionId, turnId: newId('turn', clock.now()) };
  const { person } = inbound;
  const fresh = await noteNew(inbound, tx);
  if (fresh === undefined) throw new AcceptedBefore();
  const parts = await keepParts(fresh, sessionId, tx);
  await tx.turns.append(turn, [{ type: 'turn.admitted', parts, person, ...replyTarget(fresh, before) }]);
  if (isOver && reset.notify) {
    await tx.outbox.enqueue({ sessionId, address, kind: 'notice', text: notice, notAfter: clock.now() + noticeLifeMs });
  }
  return { type: 'admitted', turn, session: isOver ? 'renewed' : 'as-it-was', before };
}

function describeReset(old: Session, reason: ResetReason, { clock, reset }: AnewDeps): string {
  const why =
    reason === 'idle'
      ? `nothing was said for ${describeTime(clock.now() - old.activeAt)}`
      : `another day has begun, at ${reset.atHour}:00`;
  return `A new session begins here: ${why}. The old one is kept; /resume ${shortId(old.id)} goes back to it.`;
}
