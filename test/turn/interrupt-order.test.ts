import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { partsToText, textPart } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { orderTurns } from '../../src/store/sqlite/order-turns.ts';
import type { UnsettledRow } from '../../src/store/sqlite/order-turns.ts';
import { Conversation } from '../../src/turn/conversation.ts';

const sessionId = 'ses_1' as SessionId;
const person = 'owner' as PersonId;

const act = fc.constantFrom('queue', 'interrupt', 'interrupt-twice', 'settle', 'undo');

/** Turns as the store orders them, folded as the model reads them. */
class Session {
  readonly conversation = new Conversation(sessionId);
  readonly #rows: UnsettledRow[] = [];
  readonly #numbers = new Map<TurnId, number>();
  /** What ran so far and was not taken back, oldest first. */
  readonly ran: TurnId[] = [];
  #seq = 0;

  get running(): TurnId | undefined {
    return orderTurns(this.#rows)[0]?.turnId;
  }

  admit(interrupts?: TurnId): void {
    const id = `t${this.#numbers.size}` as TurnId;
    const number = interrupts === undefined ? null : (this.#numbers.get(interrupts) ?? null);
    const row = { session_id: sessionId, id, interrupts: interrupts ?? null, interrupted_number: number };
    this.#rows.push({ ...row, reply_to: null });
    this.#numbers.set(id, this.#numbers.size);
    this.#add(id, { type: 'turn.admitted', parts: [textPart(id)], person, ...(interrupts && { interrupts }) });
  }

  /** Runs the turn that is next, as far as its request; returns what that carries of what was said. */
  run(): readonly string[] {
    const turnId = this.running;
    assert.ok(turnId);
    if (this.ran.at(-1) !== turnId) this.ran.push(turnId);
    const messages = this.conversation.messagesFor(turnId);
    return messages.flatMap((message) => (message.role === 'user' ? [partsToText(message.parts)] : []));
  }

  settle(): void {
    const turnId = this.running;
    assert.ok(turnId);
    const message = { role: 'assistant', parts: [textPart('answer')], calls: [] } as const;
    this.#add(turnId, { type: 'step.finished', message, finish: 'stop', usage: noUsage });
    this.#add(turnId, { type: 'turn.settled', result: { type: 'replied', text: 'answer', ending: 'complete' } });
    this.#rows.splice(
      this.#rows.findIndex(({ id }) => id === turnId),
      1,
    );
  }

  /** Takes back the turn before the one that runs. */
  undo(): void {
    const [turn] = this.ran.splice(-2, 1);
    if (turn !== undefined && turn !== this.running) this.#add(this.running ?? turn, { type: 'context.undone', turn });
    else if (turn !== undefined) this.ran.push(turn);
  }

  #add(turnId: TurnId, entry: TurnEntry): void {
    this.#seq += 1;
    this.conversation.take([{ sessionId, turnId, seq: this.#seq, at: 0, entry }]);
  }
}

test('over random queues, interruptions and undos the model reads exactly what ran before, in the order in which it ran', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const session = new Session();
      session.admit();
      for (const each of acts) {
        if (session.running === undefined) session.admit();
        assert.deepEqual(session.run(), session.ran);
        if (each === 'queue') session.admit();
        if (each === 'interrupt') session.admit(session.running);
        if (each === 'interrupt-twice')
          for (const running of [session.running, session.running]) session.admit(running);
        if (each === 'undo') session.undo();
        else if (each !== 'queue') session.settle();
      }
    }),
  );
});
