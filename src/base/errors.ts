import type { SessionId } from './ids.ts';

const errorCodes = [
  'already-running',
  'bad-config',
  'bad-usage',
  'corrupt-store',
  'disk-full',
  'fenced',
  'gateway-gone',
  'gateway-stopping',
  'newer-schema',
  'no-model',
  'no-progress',
  'not-found',
  'session-busy',
  'store-busy',
  'store-closed',
  'store-failed',
  'unsafe-home',
  'unsupported',
] as const;

/** Every reason for which the program gives up on something. Exit codes and messages branch on these alone. */
export type ErrorCode = (typeof errorCodes)[number];

/** A code that was written down, or undefined where it is none of ours. */
export function readErrorCode(written: unknown): ErrorCode | undefined {
  return errorCodes.find((code) => code === written);
}

/** What no caller can act on: thrown with a code from the closed list and the original error as its cause. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** The session that was talked in, where it is known. */
  readonly sessionId: SessionId | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly sessionId?: SessionId }) {
    super(message, options);
    this.code = code;
    this.sessionId = options?.sessionId;
  }
}

/** Whether waiting may help: there may be room again, or whoever holds the store may let go of it. */
export function isPassing(thrown: unknown): thrown is AppError {
  return isAppError(thrown, 'disk-full') || isAppError(thrown, 'store-busy');
}

export function isAppError(thrown: unknown, code: ErrorCode): thrown is AppError {
  return thrown instanceof AppError && thrown.code === code;
}

/** One line that can be shown to a person, whatever was thrown. */
export function describeError(thrown: unknown): string {
  // What went wrong first is what matters, not what went wrong while cleaning up behind it.
  if (thrown instanceof SuppressedError) return describeError(thrown.suppressed);
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return String(thrown);
}

/** The system's code of an error (`ENOENT`, `ECONNREFUSED`), or undefined: kinds are told apart by code, never by text. */
export function systemErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
