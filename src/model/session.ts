import type { PersonId, SessionId } from '../base/ids.ts';
import type { ToolSchema } from './provider.ts';

/** Where a conversation takes place. Two messages from the same address belong to the same session until a reset. */
export interface Address {
  readonly platform: string;
  readonly account: string;
  readonly chat: string;
  readonly thread: string;
}

/** The part of a request that never changes while the signature stays: kept with the session, byte for byte. */
export interface FrozenPrompt {
  readonly signature: string;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
}

/** The durable conversation. */
export interface Session {
  readonly id: SessionId;
  readonly address: Address;
  readonly person: PersonId;
  readonly title: string;
  readonly workdir: string;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly prompt: FrozenPrompt | undefined;
}

/** An address as one string: the key under which a session is found. No two addresses share it. */
export function addressKey(address: Address): string {
  return [address.platform, address.account, address.chat, address.thread].map(encodeURIComponent).join('/');
}
