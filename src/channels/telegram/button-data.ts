import type { ConsentScope, Verdict } from '../../model/turn.ts';

/** A verdict on exactly one act, and how far a yes reaches. */
export interface VerdictPress {
  readonly verdict: Verdict;
  readonly digest: string;
  readonly scope?: ConsentScope;
}

/** What a button says back when it is pressed: a verdict, or a choice (from 0) under exactly one question. */
export type ButtonPress = VerdictPress | { readonly choice: number; readonly digest: string };

const maxBytes = 64;
const letters: Readonly<Record<ConsentScope, string>> = { once: 'a', session: 's', always: 'w' };
const scopes: ReadonlyMap<string, ConsentScope> = new Map([
  ['s', 'session'],
  ['w', 'always'],
]);
const hexDigest = /^[0-9a-f]{64}$/;

/**
 * The whole digest fits into a button once it is written in base64, so an old button still names its act after a
 * restart, and can never be taken for an answer to another. Undefined where it does not fit.
 */
export function writeButton(press: ButtonPress): string | undefined {
  const { digest } = press;
  const letter = letterOf(press);
  const data = hexDigest.test(digest)
    ? `${letter}:${Buffer.from(digest, 'hex').toString('base64url')}`
    : `${letter}=${digest}`;
  return Buffer.byteLength(data) <= maxBytes ? data : undefined;
}

function letterOf(press: ButtonPress): string {
  if ('choice' in press) return String(press.choice);
  return press.verdict === 'denied' ? 'd' : letters[press.scope ?? 'once'];
}

export function readButton(data: string): ButtonPress | undefined {
  const [, letter, kind, rest] = /^([adsw]|\d)([:=])(.+)$/s.exec(data) ?? [];
  if (letter === undefined || rest === undefined) return undefined;
  const digest = kind === ':' ? Buffer.from(rest, 'base64url').toString('hex') : rest;
  if (/\d/.test(letter)) return { choice: Number(letter), digest };
  const scope = scopes.get(letter);
  return { verdict: letter === 'd' ? 'denied' : 'approved', digest, ...(scope && { scope }) };
}
