import { AppError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';

/** Has an error that ends work in a session say which one that was, so that whoever reports it can name the way back. */
export async function nameSession<Result>(
  work: Promise<Result>,
  sessionNow: () => SessionId | undefined,
): Promise<Result> {
  try {
    return await work;
  } catch (thrown) {
    const sessionId = sessionNow();
    if (!(thrown instanceof AppError) || sessionId === undefined) throw thrown;
    throw new AppError(thrown.code, thrown.message, { cause: thrown, sessionId });
  }
}
