import assert from 'node:assert/strict';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import type { Address } from '../../src/model/session.ts';
import type { TestHouse } from '../support/test-house.ts';

/** What a command typed at an address is answered with; the address of the house unless told otherwise. */
export async function command(house: TestHouse, text: string, chat = house.address.chat): Promise<string> {
  const intake = await takeIn(house, text, chat);
  assert.ok(intake.type === 'commanded', `${text} was not taken as a command`);
  return intake.reply;
}

async function takeIn(house: TestHouse, text: string, chat: string): ReturnType<TestHouse['gateway']['takeIn']> {
  const address: Address = { ...house.address, chat };
  const key = { platform: 'terminal', account: 'local', chat, messageId: newId('turn', Date.now()), revision: 0 };
  const parts = [{ type: 'text', text }] as const;
  return await house.gateway.takeIn({
    type: 'message',
    key,
    address,
    person: 'owner' as PersonId,
    parts,
    workdir: house.workdir,
  });
}

/** Says something in another chat than the house's, and waits for the answer. */
export async function sayIn(house: TestHouse, chat: string, text: string): Promise<void> {
  const intake = await takeIn(house, text, chat);
  assert.ok(intake.type === 'admitted');
  await house.gateway.whenIdle(intake.turn.sessionId);
}

export function modelsAsked(house: TestHouse): readonly (Json | undefined)[] {
  return house.server.requests.map(({ json }) => json?.['model']);
}

export function connections(house: TestHouse): readonly number[] {
  return house.server.requests.map(({ connection }) => connection);
}
