import { randomUUID } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Branded<'session'>;
export type TurnId = Branded<'turn'>;
export type CallId = Branded<'call'>;
export type PersonId = Branded<'person'>;
export type NodeId = Branded<'node'>;
export type BlobId = Branded<'blob'>;
export type OutboxId = Branded<'outbox'>;
export type ScheduleId = Branded<'schedule'>;
export type ReservationId = Branded<'reservation'>;

interface IdKinds {
  session: SessionId;
  turn: TurnId;
  node: NodeId;
  outbox: OutboxId;
  schedule: ScheduleId;
  reservation: ReservationId;
}

const prefixes: Readonly<Record<keyof IdKinds, string>> = {
  session: 'ses',
  turn: 'trn',
  node: 'nod',
  outbox: 'out',
  schedule: 'sch',
  reservation: 'rsv',
};

// Crockford's alphabet: sorts like the numbers it stands for, and has no letters that are read as digits.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 10;
const shortLength = 8;

/** A new id that sorts by time of creation: `ses_` + ten characters of milliseconds + ten random ones. */
export function newId<Kind extends keyof IdKinds>(kind: Kind, nowMs: number): IdKinds[Kind] {
  return `${prefixes[kind]}_${encode(nowMs, timeLength)}${encodeRandom()}` as IdKinds[Kind];
}

/** The end of an id, which differs from one to the next where the beginning is the time: what people read and type. */
export function shortId(id: string): string {
  return id.slice(-shortLength);
}

/** Ten characters. */
function encodeRandom(): string {
  // Node keeps a reserve of these, while each call for plain random bytes goes to the generator.
  const digits = randomUUID();
  return encode(Number.parseInt(digits.slice(0, 8), 16), 6) + encode(Number.parseInt(digits.slice(-6), 16), 4);
}

/** The last places of a number. */
function encode(number: number, places: number): string {
  let rest = Math.floor(number);
  let text = '';
  for (let place = 0; place < places; place += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
