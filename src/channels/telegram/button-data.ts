import type { Verdict } from '../../model/turn.ts';

/** What a button says back when it is pressed: a verdict on exactly one act. */
export interface ButtonPress {
  readonly verdict: Verdict;
  readonly digest: string;
}

const maxBytes = 64;
const letters: Readonly<Record<Verdict, string>> = { approved: 'a', denied: 'd' };
const hexDigest = /^[0-9a-f]{64}$/;

/**
 * The whole digest fits into a button once it is written in base64, so an old button still names its act after a
 * restart, and can never be taken for an answer to another. Undefined where it does not fit.
 */
export function writeButton({ verdict, digest }: ButtonPress): string | undefined {
  const data = hexDigest.test(digest)
    ? `${letters[verdict]}:${Buffer.from(digest, 'hex').toString('base64url')}`
    : `${letters[verdict]}=${digest}`;
  return Buffer.byteLength(data) <= maxBytes ? data : undefined;
}

export function readButton(data: string): ButtonPress | undefined {
  const [, letter, kind, rest] = /^([ad])([:=])(.+)$/s.exec(data) ?? [];
  if (letter === undefined || rest === undefined) return undefined;
  const digest = kind === ':' ? Buffer.from(rest, 'base64url').toString('hex') : rest;
  return { verdict: letter === 'a' ? 'approved' : 'denied', digest };
}
