import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallId, PersonId } from '../../src/base/ids.ts';
import type { ApprovalRequest, Approvals } from '../../src/model/approvals.ts';
import type { TurnRef, Verdict } from '../../src/model/turn.ts';

/** Approvals with a person at the other end, to be played by the test of each implementation. */
export interface ApprovalsBench extends AsyncDisposable {
  readonly approvals: Approvals;
  /** A turn of a session whose person can be asked, and that person. */
  readonly turn: TurnRef;
  readonly person: PersonId;
  /** Turns of which nobody can be asked, each for another reason. */
  readonly unreachable: Readonly<Record<string, TurnRef>>;
  /** A turn whose person would be asked where nothing can be shown. */
  readonly unshowable: TurnRef;
  /** A turn whose person is asked on a channel that takes its time: the sending has begun, and does not end by itself. */
  readonly slow: { readonly turn: TurnRef; readonly begun: Promise<void>; readonly end: () => void };
  /** The questions that the person has seen, in order. */
  readonly seen: readonly { readonly text: string; readonly digest: string | undefined }[];
  whenSeen(count: number): Promise<void>;
  /** The person answers. */
  answer(digest: string, verdict: Verdict): void;
}

function about(turn: TurnRef, name: string): ApprovalRequest {
  const call = { id: `call_${name}` as CallId, name: 'terminal', arguments: `{"command":"${name}"}` };
  return { turn, call, digest: `digest of ${name}`, question: `${name}\nin /work` };
}

const never = new AbortController().signal;

/** Holds approvals to what the port promises. */
export function describeApprovalsConformance(name: string, open: () => Promise<ApprovalsBench>): void {
  describe(name, () => {
    describeAnswers(open);
    describeSilence(open);
  });
}

function describeAnswers(open: () => Promise<ApprovalsBench>): void {
  for (const verdict of ['approved', 'denied'] as const) {
    test(`the question is shown whole, and that it was ${verdict} comes back with who said so`, async () => {
      await using bench = await open();

      const answer = bench.approvals.ask(about(bench.turn, 'touch made'), never);
      await bench.whenSeen(1);
      bench.answer('digest of touch made', verdict);

      assert.deepEqual(await answer, { verdict, by: bench.person });
      assert.deepEqual(bench.seen, [{ text: 'touch made\nin /work', digest: 'digest of touch made' }]);
    });
  }

  test('each answer goes to the question that it names, in whatever order they come', async () => {
    await using bench = await open();

    const first = bench.approvals.ask(about(bench.turn, 'first'), never);
    const second = bench.approvals.ask(about(bench.turn, 'second'), never);
    await bench.whenSeen(2);
    bench.answer('digest of another', 'approved');
    bench.answer('digest of second', 'approved');
    bench.answer('digest of first', 'denied');

    assert.equal((await first).verdict, 'denied');
    assert.equal((await second).verdict, 'approved');
  });

  test('an answer counts once: neither one given before nor one used up allows the same act again', async () => {
    await using bench = await open();
    bench.answer('digest of again', 'approved');

    const once = bench.approvals.ask(about(bench.turn, 'again'), never);
    await bench.whenSeen(1);
    bench.answer('digest of again', 'approved');
    await once;
    const twice = bench.approvals.ask(about(bench.turn, 'again'), never);
    await bench.whenSeen(2);
    bench.answer('digest of again', 'denied');

    assert.equal((await twice).verdict, 'denied');
  });
}

function describeSilence(open: () => Promise<ApprovalsBench>): void {
  test('where nobody can be asked that is a denial by nobody, and nothing is shown', async () => {
    await using bench = await open();

    for (const [why, turn] of Object.entries(bench.unreachable))
      assert.deepEqual(await bench.approvals.ask(about(turn, 'rm'), never), { verdict: 'denied', by: null }, why);
    assert.deepEqual(bench.seen, []);
  });

  test('a question that cannot be shown is no consent', async () => {
    await using bench = await open();

    await assert.rejects(bench.approvals.ask(about(bench.unshowable, 'rm'), never));
  });

  test('an abort ends the wait with its reason, and an answer that comes after it allows nothing', async () => {
    await using bench = await open();
    const stopped = new AbortController();
    const reason = { type: 'stop' };

    const answer = bench.approvals.ask(about(bench.turn, 'rm'), stopped.signal);
    await bench.whenSeen(1);
    stopped.abort(reason);
    await assert.rejects(answer, (thrown) => thrown === reason);
    bench.answer('digest of rm', 'approved');
    const again = bench.approvals.ask(about(bench.turn, 'rm'), never);
    await bench.whenSeen(2);
    bench.answer('digest of rm', 'denied');

    assert.equal((await again).verdict, 'denied');
  });

  test('an abort does not wait for a question that is still on its way', async () => {
    await using bench = await open();
    const stopped = new AbortController();
    const reason = { type: 'stop' };

    const answer = bench.approvals.ask(about(bench.slow.turn, 'rm'), stopped.signal);
    await bench.slow.begun;
    stopped.abort(reason);

    await assert.rejects(answer, (thrown) => thrown === reason);
    bench.slow.end();
  });

  test('what was stopped before it was asked is not asked', async () => {
    await using bench = await open();
    const reason = { type: 'stop' };

    const answer = bench.approvals.ask(about(bench.turn, 'rm'), AbortSignal.abort(reason));

    await assert.rejects(answer, (thrown) => thrown === reason);
    assert.deepEqual(bench.seen, []);
  });
}
