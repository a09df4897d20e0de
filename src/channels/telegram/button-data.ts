import type { ConsentScope, Verdict } from '../../model/turn.ts';

/** What a button says back when it is pressed: a verdict on exactly one act, and how far a yes reaches. */
export interface ButtonPress {
  readonly verdict: Verdict;
  readonly digest: string;
  readonly scope?: ConsentScope;
}

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
export function writeButton({ verdict, digest, scope = 'once' }: ButtonPress): string | undefined {
  const letter = verdict === 'denied' ? 'd' : letters[scope];
  const data = hexDigest.test(digest)
    ? `${letter}:${Buffer.from(digest, 'hex').toString('base64url')}`
    : `${letter}=${digest}`;
  return Buffer.byteLength(data) <= maxBytes ? data : undefined;
}

export function readButton(data: string): ButtonPress | undefined {
  const [, letter, kind, rest] = /^([adsw])([:=])(.+)$/s.exec(data) ?? [];
  if (letter === undefined || rest === undefined) return undefined;
  const digest = kind === ':' ? Buffer.from(rest, 'base64url').toString('hex') : rest;
  const scope = scopes.get(letter);
  return { verdict: letter === 'd' ? 'denied' : 'approved', digest, ...(scope && { scope }) };
}
