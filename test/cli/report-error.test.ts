import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/base/errors.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { nameSession } from '../../src/cli/name-session.ts';
import { reportError } from '../../src/cli/report-error.ts';

function report(thrown: unknown): string {
  let written = '';
  const stderr = { write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
  reportError(thrown, { stdout: stderr, stderr, env: {} }, { format: 'text', topic: undefined });
  return written;
}

const gone = new AppError('gateway-gone', 'the gateway that served this has ended');
const lose = (): Promise<never> => Promise.reject(gone);
const session = 'ses_0000000000abcdefghjk' as SessionId;

test('an error that ends a chat names the command that leads back to its session', async () => {
  const thrown = await nameSession(lose(), () => session).catch((error: unknown) => error);

  assert.equal(
    report(thrown),
    'talaria: the gateway that served this has ended\n' +
      'Nothing that was taken in is lost. `talaria gateway` starts it again; go on with: talaria -r cdefghjk\n',
  );
  assert.ok(thrown instanceof AppError && thrown.cause === gone);
});

test('where no session is known it is the last one that is gone on with, and faults of the program stay as they are', async () => {
  const fault = new Error('broken');

  assert.match(report(await nameSession(lose(), () => undefined).catch((error: unknown) => error)), /: talaria -c\n$/);
  assert.match(
    report(new AppError('disk-full', 'no room', { sessionId: session })),
    /Make room .*: talaria -r cdefghjk\n$/,
  );
  await assert.rejects(
    nameSession(Promise.reject(fault), () => session),
    fault,
  );
});
