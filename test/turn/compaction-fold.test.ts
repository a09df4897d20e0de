import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { estimateTokenCount } from 'tokenx';
import type { CallId, NodeId, PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { Message } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import type { LoggedEntry, TurnEntry } from '../../src/model/turn.ts';
import { chooseTail, holdMessage } from '../../src/turn/compact/choose-tail.ts';
import { Compactions } from '../../src/turn/compact/compactions.ts';
import { shortenText } from '../../src/turn/compact/shorten-text.ts';
import { keepWords, renderWords } from '../../src/turn/compact/users-words.ts';
import { Conversation } from '../../src/turn/conversation.ts';

const sessionId = 'ses_1' as SessionId;
const person = 'owner' as PersonId;
const asked: Extract<TurnEntry, { type: 'step.asked' }> = {
  type: 'step.asked',
  runtime: 'demo:demo' as RuntimeName,
  prompt: '',
  messages: 0,
  digest: '',
};

function answer(text: string, ids: readonly string[]): TurnEntry {
  const calls = ids.map((id) => ({ id: id as CallId, name: 'read_file', arguments: '{}' }));
  const message = { role: 'assistant', parts: [textPart(text)], calls } as const;
  return { type: 'step.finished', message, finish: 'stop', usage: noUsage };
}

const finished: Extract<TurnEntry, { type: 'step.finished' }> = {
  type: 'step.finished',
  message: { role: 'assistant', parts: [textPart('hi')], calls: [] },
  finish: 'stop',
  usage: noUsage,
};

function settled(id: string): TurnEntry {
  return { type: 'tool.settled', callId: id as CallId, outcome: { type: 'done', parts: [textPart(`result ${id}`)] } };
}

const words = fc.constantFrom('hello', 'naïve', '日本語', 'half \ud83d pair', '1. SUMMARY', '');

const step = fc.record({
  calls: fc.nat(3),
  tries: fc.integer({ min: 1, max: 2 }),
  text: words,
  steer: fc.option(words, { nil: undefined }),
});

const turn = fc.record({
  text: words,
  steps: fc.array(step, { maxLength: 4 }),
  queuesNext: fc.boolean(),
  /** What is done to the conversation right before a request of the turn, and how small the tail may get. */
  act: fc.option(fc.record({ type: fc.constantFrom('compact', 'restore'), budget: fc.nat(40), before: fc.nat(4) }), {
    nil: undefined,
  }),
});

type RandomTurn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

/** Writes a random session, in which compactions are made as the program makes them, and looks at every request. */
class Session {
  readonly conversation = new Conversation(sessionId);
  readonly log: LoggedEntry[] = [];
  readonly requests: (readonly Message[])[] = [];
  /** The requests that stand right behind a change of what stands for the beginning. */
  readonly changed = new Set<number>();
  #calls = 0;

  play(turns: readonly RandomTurn[]): void {
    for (const [index, each] of turns.entries()) this.#playTurn(each, index, turns.length);
  }

  #playTurn({ text, steps, act, queuesNext }: RandomTurn, index: number, count: number): void {
    const turnId = `t${index}`;
    if (!this.log.some((logged) => logged.turnId === turnId)) this.#admit(turnId, text);
    if (queuesNext && index + 1 < count) this.#admit(`t${index + 1}`, `${text} early`);
    for (const [place, each] of steps.entries()) {
      if (act?.before === place) this.#act(turnId, act);
      for (let tries = 0; tries < each.tries; tries += 1) this.#ask(turnId);
      const ids = Array.from({ length: each.calls }, () => `c${(this.#calls += 1)}`);
      this.#add(turnId, answer(each.text, ids));
      if (each.steer !== undefined)
        this.#add(turnId, {
          type: 'turn.steered',
          parts: [textPart(`steer ${this.log.length} ${each.steer}`)],
          person,
        });
      for (const id of ids) this.#add(turnId, settled(id));
    }
  }

  #admit(turnId: string, text: string): void {
    this.#add(turnId, { type: 'turn.admitted', parts: [textPart(`${turnId} ${text}`)], person });
  }

  #ask(turnId: string): void {
    this.requests.push(this.conversation.messagesFor(turnId as TurnId));
    this.#add(turnId, asked);
  }

  #act(turnId: string, { type, budget }: { readonly type: string; readonly budget: number }): void {
    if (type === 'restore') {
      this.#add(turnId, { type: 'context.restored' });
      this.changed.add(this.requests.length);
      return;
    }
    const placed = this.conversation.placedFor(turnId as TurnId);
    const start = chooseTail({ placed, tokensOf: (message) => JSON.stringify(message).length / 40, budget, fewest: 1 });
    const through = placed[start - 1]?.mark;
    if (through === undefined) return;
    const held = { through, ...holdMessage(placed, start, this.conversation.compactions.inForce?.compaction) };
    const said = this.conversation.saidIn(held).join('\n');
    const summary = {
      summary: '',
      text: `S\n${said}`,
      writtenBy: 'program',
      usage: noUsage,
      before: 2,
      after: 1,
    } as const;
    this.#add(turnId, { type: 'context.compacted', ...held, ...summary });
    this.changed.add(this.requests.length);
  }

  #add(turnId: string, entry: TurnEntry): void {
    const logged = { sessionId, turnId: turnId as TurnId, seq: this.log.length + 1, at: 0, entry };
    this.log.push(logged);
    this.conversation.take([logged]);
  }
}

const sessions = fc.array(turn, { minLength: 1, maxLength: 8 }).map((turns) => {
  const session = new Session();
  session.play(turns);
  return session;
});

test('over random sessions with compactions and undos no call is parted from its results', () => {
  fc.assert(
    fc.property(sessions, ({ requests }) => {
      for (const request of requests) {
        assert.equal(request[0]?.role, 'user');
        const open = new Set<string>();
        for (const message of request) {
          if (message.role === 'tool') assert.ok(open.delete(message.callId), `a result without its call`);
          else assert.equal(open.size, 0, 'a call without its result');
          if (message.role === 'assistant') for (const { id } of message.calls) open.add(id);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('over random sessions each request extends the one before, except right behind a compaction or an undo', () => {
  fc.assert(
    fc.property(sessions, ({ requests, changed }) => {
      for (const [index, request] of requests.entries()) {
        const before = requests[index - 1];
        if (before === undefined || changed.has(index)) continue;
        assert.deepEqual(request.slice(0, before.length), before);
      }
    }),
    { numRuns: 500 },
  );
});

test('over random sessions everything that the user said is in every later request, word for word', () => {
  fc.assert(
    fc.property(sessions, ({ requests, log }) => {
      const request = requests.at(-1) ?? [];
      const lastAsked = log.findLast(({ entry }) => entry.type === 'step.asked');
      if (lastAsked === undefined) return;
      const turnIds = [...new Set(log.map(({ turnId }) => turnId))];
      const seen = new Set(turnIds.slice(0, turnIds.indexOf(lastAsked.turnId) + 1));
      const text = request.flatMap((message) => [JSON.stringify(message)]).join('\n');
      for (const { turnId, entry, seq } of log) {
        const isSaid = entry.type === 'turn.admitted' || entry.type === 'turn.steered';
        if (!isSaid || !seen.has(turnId) || seq > lastAsked.seq) continue;
        const said = JSON.stringify((entry.parts[0] as { text: string }).text).slice(1, -1);
        assert.ok(text.includes(said), `"${said}" is lost`);
      }
    }),
    { numRuns: 500 },
  );
});

test('over random sessions the newest message of the user is a message of its own in the request', () => {
  fc.assert(
    fc.property(sessions, ({ log, conversation }) => {
      const last = log.findLast(({ entry }) => entry.type === 'step.asked');
      if (last === undefined) return;
      const everything = conversation.everythingFor(last.turnId);
      const newest = everything.findLast(({ author }) => author === 'user')?.message;
      assert.ok(newest === undefined || conversation.messagesFor(last.turnId).some((each) => isSame(each, newest)));
    }),
    { numRuns: 500 },
  );
});

function isSame(left: Message, right: Message): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

test('a session read back at once stands as it stood when it was written', () => {
  fc.assert(
    fc.property(sessions, ({ log, conversation }) => {
      const again = new Conversation(sessionId);

      again.take(log);

      for (const { turnId } of log) assert.deepEqual(again.messagesFor(turnId), conversation.messagesFor(turnId));
    }),
    { numRuns: 200 },
  );
});

function measuredAfter(...entries: readonly TurnEntry[]): unknown {
  const compactions = new Compactions();
  for (const entry of entries) compactions.take(entry, 'by-itself');
  return compactions.measured;
}

test('what a server counted before a conversation was shortened or taken back says nothing about it afterwards', () => {
  const compacted: TurnEntry = {
    type: 'context.compacted',
    through: { turnId: 't' as TurnId, messages: 1 },
    summary: '',
    text: '',
    writtenBy: 'program',
    usage: noUsage,
    before: 2,
    after: 1,
  };
  const counted: readonly TurnEntry[] = [
    { ...asked, messages: 3 },
    { ...finished, usage: { ...noUsage, cacheRead: 70 } },
  ];
  assert.deepEqual(measuredAfter(...counted, finished), { tokens: 70, messages: 3 });
  assert.equal(measuredAfter(...counted, compacted), undefined);
  assert.equal(measuredAfter(compacted, ...counted, { type: 'context.restored' }), undefined);
  assert.equal(measuredAfter(...counted, { type: 'context.undone', turn: 't' as TurnId }), undefined);
});

test('a shortened text says how much of it is missing, and no character of it is cut in half', () => {
  assert.equal(shortenText('short', 100), 'short');
  assert.equal(shortenText('a'.repeat(50) + 'b'.repeat(50), 10), `aaaaaaa\n[… 90 characters are left out here …]\nbbb`);
  assert.ok(shortenText('😀'.repeat(100), 33).isWellFormed());
});

function byWord(text: string): number {
  return text.split(/\s+/).length;
}

test('where everything said is too much, the longest is shortened first, and the short ones stay as they are', () => {
  const long = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ');

  const kept = keepWords(['be brief', long, 'in metres'], 300, byWord);

  assert.equal(kept.leftOut, 0);
  assert.equal(kept.first[0], 'be brief');
  assert.equal(kept.first[2], 'in metres');
  assert.match(kept.first[1] ?? '', /^w0 [^]*left out here[^]* w2999$/);
  assert.ok(byWord(renderWords(kept)) <= 300);
});

test('where even that is too much, the first and the newest stay, and one line counts what is missing between them', () => {
  const said = Array.from({ length: 400 }, (_, index) => `message ${index}: do not break the build`);

  const text = renderWords(keepWords(said, 300, byWord));

  assert.ok(byWord(text) <= 300);
  assert.match(text, /^1\. message 0: do not break the build\n\n2\. message 1:/);
  assert.match(text, /399\. message 398: do not break the build\n\n400\. message 399: do not break the build$/);
  assert.equal(text.match(/\[… \d+ messages of the user are left out here; the log has them …\]/g)?.length, 1);
  const gap = Number(/\[… (\d+) messages/.exec(text)?.[1]);
  assert.equal(text.match(/^\d+\. /gm)?.length, 400 - gap);
});

test('what is kept of what was said never passes its room, however many and however short the messages are', () => {
  const saying = fc.oneof(words, fc.lorem({ maxCount: 30 }), fc.string({ maxLength: 600 }));
  fc.assert(
    fc.property(fc.array(saying, { maxLength: 300 }), fc.nat(3000), (said, room) => {
      const kept = keepWords(said, room, estimateTokenCount);

      assert.ok(estimateTokenCount(renderWords(kept)) <= Math.max(room, 24));
      assert.equal(kept.first.length + kept.leftOut + kept.last.length, said.length);
    }),
    { numRuns: 200 },
  );
});

test('a text is never made longer by shortening it', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.nat(300), (text, most) => {
      assert.ok(shortenText(text, most).length <= text.length);
    }),
  );
});

function mayRunAfter(...entries: readonly TurnEntry[]): boolean {
  const compactions = new Compactions();
  for (const entry of entries) compactions.take(entry, 'by-itself');
  return compactions.mayRunByItself;
}

test('calls for a summary that came to nothing end the shortening by itself; those that somebody stopped do not', () => {
  const call: TurnEntry = { type: 'compaction.asked', runtime: asked.runtime };
  const stop: TurnEntry = { type: 'turn.settled', result: { type: 'interrupted', by: person } };
  const claim: TurnEntry = { type: 'turn.claimed', owner: 'node' as NodeId, epoch: 1 };

  assert.equal(mayRunAfter(call, claim, call, claim, call, claim), true);
  assert.equal(mayRunAfter(call, claim, call, claim, call, claim, call), false);
  assert.equal(mayRunAfter(call, stop, call, stop, call, stop, call, stop), true);
  assert.equal(mayRunAfter(call, { type: 'turn.released' }, call, call, call), true);
});
