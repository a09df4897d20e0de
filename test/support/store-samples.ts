import { newId } from '../../src/base/ids.ts';
import type { CallId, PersonId, SessionId } from '../../src/base/ids.ts';
import type { InboundKey } from '../../src/model/channel.ts';
import { textPart } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { Address, Session } from '../../src/model/session.ts';
import type { NewOutbound, NewSession, Store, StoreTx } from '../../src/model/store.ts';
import type { LoggedEntry, TurnEntry, TurnRef } from '../../src/model/turn.ts';

export const ada = 'per_ada' as PersonId;
export const bob = 'per_bob' as PersonId;

export function chat(name: string, platform = 'test'): Address {
  return { platform, account: 'bot', chat: name, thread: '' };
}

export function inChat(name: string, platform?: string): NewSession {
  return { address: chat(name, platform), person: ada, workdir: '/work' };
}

export function newTurn(session: Session | SessionId): TurnRef {
  return { sessionId: typeof session === 'string' ? session : session.id, turnId: newId('turn', Date.now()) };
}

export function admitted(text: string): TurnEntry {
  return { type: 'turn.admitted', parts: [textPart(text)], person: ada };
}

export function steered(text: string): TurnEntry {
  return { type: 'turn.steered', parts: [textPart(text)], person: ada };
}

export function answered(text: string): TurnEntry {
  const message = { role: 'assistant', parts: [textPart(text)], calls: [] } as const;
  return { type: 'step.finished', message, finish: 'stop', usage: noUsage };
}

export function toolSaid(text: string): TurnEntry {
  return { type: 'tool.settled', callId: 'call_1' as CallId, outcome: { type: 'done', parts: [textPart(text)] } };
}

export function settled(text = 'done'): TurnEntry {
  return { type: 'turn.settled', result: { type: 'replied', text, ending: 'complete' } };
}

/** Begins a turn with one message and returns it. */
export async function admit(store: StoreTx, session: Session, text: string): Promise<TurnRef> {
  const turn = newTurn(session);
  await store.turns.append(turn, [admitted(text)]);
  return turn;
}

export function messageKey(messageId: string, revision = 0): InboundKey {
  return { platform: 'test', account: 'bot', chat: 'one', messageId, revision };
}

export function replyTo(session: Session, text: string, notAfter = Number.MAX_SAFE_INTEGER): NewOutbound {
  return { sessionId: session.id, address: session.address, kind: 'reply', text, notAfter };
}

/** The texts that are due on the test platform, in order, with their copy where it is not the first. */
export async function dueTexts(store: Store, now: number): Promise<readonly string[]> {
  const due = await store.outbox.due('test', now);
  return due.map(({ message }) => (message.copy === 'first' ? message.text : `${message.text} (${message.copy})`));
}

export function sequence(entries: readonly LoggedEntry[]): readonly number[] {
  return entries.map(({ seq }) => seq);
}
