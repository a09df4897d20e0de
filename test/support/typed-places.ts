import type { PersonId, SessionId } from '../../src/base/ids.ts';
import type { Intake } from '../../src/gateway/intake.ts';
import type { Address } from '../../src/model/session.ts';
import type { TestHouse } from './test-house.ts';

export function toldBy(intake: Intake): string {
  return intake.type === 'commanded' ? intake.reply : intake.type;
}

export const anna = 'telegram:42' as PersonId;
export const ben = 'telegram:43' as PersonId;
export const owner = 'owner' as PersonId;

/** Something typed on Telegram by someone who has access. */
export async function typeAt(address: Address, text: string, house: TestHouse, person = anna): Promise<string> {
  const { platform, account, chat } = address;
  const key = { platform, account, chat, messageId: crypto.randomUUID(), revision: 0 };
  const parts = [{ type: 'text', text }] as const;
  return toldBy(await house.gateway.takeIn({ type: 'message', key, address, person, parts, workdir: house.workdir }));
}

export async function sayAt(address: Address, text: string, house: TestHouse, person = anna): Promise<SessionId> {
  await typeAt(address, text, house, person);
  const { id } = await house.app.store.sessions.at({ address, person, workdir: '' });
  await house.gateway.whenIdle(id);
  return id;
}

export const dm: Address = { platform: 'telegram', account: '1', chat: '42', thread: '' };
export const topic: Address = { ...dm, thread: '7' };
export const group: Address = { ...dm, chat: '-100' };
export const page: Address = { platform: 'webchat', account: 'local', chat: 'mine', thread: '' };
export const access = { telegram: { allow: [42] } };
