import type { JsonObject } from '../../base/json.ts';
import type { MicroUsd } from '../../model/money.ts';
import type { ListedPrice } from '../../model/catalogue.ts';
import { integer, list, object, oneOf, optional, string } from '../../model/schema.ts';
import type { ValueOf } from '../../model/schema.ts';
import type { Session } from '../../model/session.ts';
import type { SearchHit, UsageRecord } from '../../model/store.ts';
import type { LoggedEntry, TurnRef } from '../../model/turn.ts';
import type { Intake } from '../intake.ts';

const text = string('any text');
const id = string('an id', { minLength: 1 });
const count = integer('how many', { minimum: 0 });
const time = integer('milliseconds since 1970');
const ofSession = object({ sessionId: id });
const nothing = object({});
const usage = object({ fresh: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count });

/** What a terminal can ask of the gateway, and the shape of what it must bring. Every call is checked against it. */
export const callSchemas = {
  /** Sits down at an address of the terminal: from here on it sees the turns there and what is delivered. */
  'seat.take': object({
    chat: id,
    workdir: id,
    asks: oneOf(['yes', 'no'], 'whether a person can be asked there'),
    /** What the session there was told to ask. */
    sessionModel: optional(id),
    /** From the command line: what it is told now. */
    model: optional(id),
  }),
  'seat.say': object({
    messageId: id,
    text,
    images: list(object({ base64: id, name: optional(text) }), 'pictures'),
    commands: optional(oneOf(['none'], 'whether it is all words, whatever it begins with')),
    delivery: oneOf(['first', 'repeat'], 'a repeat may have been taken in before the connection broke'),
  }),
  'seat.answer': object({
    digest: id,
    verdict: oneOf(['approved', 'denied'], 'the answer'),
    scope: optional(oneOf(['once', 'session', 'always'], 'how far a yes reaches')),
    rule: optional(oneOf(['yes'], 'what answered where no person did')),
  }),
  'seat.deliver': nothing,
  'seat.session': nothing,
  'session.goOn': ofSession,
  'session.whenIdle': ofSession,
  'session.isAtWork': ofSession,
  'session.endTask': ofSession,
  'sessions.resume': ofSession,
  'sessions.delete': ofSession,
  'sessions.matching': object({ idPrefix: text }),
  'sessions.list': object({ platform: optional(id), stage: optional(oneOf(['begun'], 'which')), limit: count }),
  'turns.after': object({ sessionId: id, seq: count }),
  'turns.unsettled': object({ sessionId: optional(id) }),
  'turns.consents': object({ limit: count }),
  'search.find': object({ query: text, limit: count }),
  'search.lastSaid': object({ platform: id, limit: count }),
  'blobs.read': object({ sessionId: id, blob: id }),
  'usages.list': object({ sessionId: optional(id), since: optional(time) }),
  'catalogue.cost': object({ runtime: id, usage, at: time, cacheLife: optional(oneOf(['5m', '1h'], 'how long')) }),
  'catalogue.price': object({ runtime: id, at: time }),
} as const;

export type CallName = keyof typeof callSchemas;
export type CallParams<Name extends CallName> = ValueOf<(typeof callSchemas)[Name]>;

/** What each of them returns. */
export interface CallResults {
  'seat.take': TakenSeat;
  'seat.say': Intake;
  'seat.answer': Intake;
  'seat.deliver': void;
  'seat.session': Session;
  'session.goOn': void;
  'session.whenIdle': void;
  'session.isAtWork': boolean;
  'session.endTask': void;
  'sessions.resume': Session;
  'sessions.delete': void;
  'sessions.matching': readonly Session[];
  'sessions.list': readonly Session[];
  'turns.after': readonly LoggedEntry[];
  'turns.unsettled': readonly TurnRef[];
  'turns.consents': readonly LoggedEntry[];
  'search.find': readonly SearchHit[];
  'search.lastSaid': readonly string[];
  'blobs.read': string | undefined;
  'usages.list': readonly UsageRecord[];
  'catalogue.cost': MicroUsd | undefined;
  'catalogue.price': ListedPrice | undefined;
}

export interface TakenSeat {
  readonly model: { readonly name: string; readonly place: 'remote' | 'local' | 'demo' };
  readonly warnings: readonly string[];
}

export function isCallName(written: JsonObject[string] | undefined): written is CallName {
  return typeof written === 'string' && Object.hasOwn(callSchemas, written);
}
