import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { AsyncQueue } from '../../src/base/async-queue.ts';
import { newId } from '../../src/base/ids.ts';
import type { PersonId, SessionId } from '../../src/base/ids.ts';
import { createTerminalChannel } from '../../src/channels/terminal.ts';
import { silentLog } from '../../src/base/log.ts';
import { PendingApprovals } from '../../src/gateway/approvals.ts';
import { StandingConsents } from '../../src/gateway/standing-consents.ts';
import type { Channel, Outbound, TerminalPort } from '../../src/model/channel.ts';
import type { Address } from '../../src/model/session.ts';
import type { Store } from '../../src/model/store.ts';
import type { TurnRef } from '../../src/model/turn.ts';
import { FileStandingRules } from '../../src/store/home/standing-rules.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { describeApprovalsConformance } from './approvals-conformance.ts';
import type { ApprovalsBench } from './approvals-conformance.ts';

const person = 'owner' as PersonId;
const address = at('asked');

function at(chat: string): Address {
  return { platform: 'terminal', account: 'local', chat, thread: '' };
}

function seat(
  chat: string,
  { asks, show }: { asks: 'yes' | 'no'; show: (message: Outbound) => Promise<void> },
): Channel {
  const port: TerminalPort = { asks, show, read: () => new AsyncQueue(), conclude: () => undefined };
  return createTerminalChannel({ port, address: at(chat), person, workdir: '/', newMessageId: () => newId('turn', 0) });
}

async function turnAt(chat: string, store: Store): Promise<TurnRef> {
  const session = await store.sessions.at({ address: at(chat), person, workdir: '/' });
  return { sessionId: session.id, turnId: newId('turn', 0) };
}

/** What the person at the terminal has seen. */
class Seen {
  readonly questions: { readonly text: string; readonly digest: string | undefined }[] = [];
  #waiting: (() => void) | undefined;

  readonly show = ({ text, digest }: Outbound): Promise<void> => {
    this.questions.push({ text, digest });
    this.#waiting?.();
    return Promise.resolve();
  };

  async until(count: number): Promise<void> {
    while (this.questions.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      await promise;
    }
  }
}

async function openApprovals(): Promise<ApprovalsBench & { readonly approvals: PendingApprovals }> {
  const house = await openStoreHouse(sqlite);
  const folder = await makeTempFolder();
  const { store, clock } = house;
  const seen = new Seen();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const showSlowly = (): Promise<void> => {
    begun.resolve();
    return ended.promise;
  };
  const channels = [
    seat('slow', { asks: 'yes', show: showSlowly }),
    seat('asked', { asks: 'yes', show: seen.show }),
    seat('not asked', { asks: 'no', show: seen.show }),
    seat('broken', { asks: 'yes', show: () => Promise.reject(new Error('the terminal is gone')) }),
  ];
  const channelFor = (where: Address): Channel | undefined => channels.find((channel) => channel.serves(where));
  const approvals = new PendingApprovals({
    store,
    channelFor,
    yoloBy: () => Promise.resolve(undefined),
    consents: new StandingConsents(new FileStandingRules(join(folder.path, 'standing-rules.json')), clock),
    isOwner: () => Promise.resolve(true),
    timeoutMs: () => 600_000,
    clock,
    log: silentLog,
  });
  return {
    approvals,
    turn: await turnAt('asked', store),
    person,
    unreachable: {
      'the channel cannot ask': await turnAt('not asked', store),
      'there is no channel': await turnAt('nowhere', store),
      'there is no session': { sessionId: 'ses_gone' as SessionId, turnId: newId('turn', 0) },
    },
    unshowable: await turnAt('broken', store),
    slow: { turn: await turnAt('slow', store), begun: begun.promise, end: ended.resolve },
    seen: seen.questions,
    whenSeen: (count) => seen.until(count),
    answer: (digest, verdict) => void approvals.answer({ type: 'answer', address, person, digest, verdict }),
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describeApprovalsConformance('the approvals of the gateway', openApprovals);

test('of two who allow the same in one moment only the first has answered', async () => {
  await using bench = await openApprovals();
  const { approvals, turn } = bench;
  const question = { turn, digest: 'digest', question: 'Go on?' };
  const asked = approvals.ask(question, new AbortController().signal);
  await bench.whenSeen(1);

  const yes = { type: 'answer', address, person, digest: 'digest', verdict: 'approved' } as const;
  const answered = await Promise.all([approvals.answer(yes), approvals.answer(yes)]);

  assert.deepEqual(answered, [true, false]);
  assert.deepEqual(await asked, { verdict: 'approved', by: person });
});
