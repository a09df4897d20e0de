import type { PersonId, SessionId } from '../base/ids.ts';
import type { BusyMode } from './busy-mode.ts';
import type { PromptPart } from './prompt.ts';
import type { Effort, ToolSchema } from './provider.ts';

/** Where a conversation takes place. Two messages from the same address belong to the same session until a reset. */
export interface Address {
  readonly platform: string;
  readonly account: string;
  readonly chat: string;
  readonly thread: string;
  /** Whose conversation it is, where each member of a chat has one of their own; left out: everyone's there. */
  readonly member?: PersonId;
}

/** Whether each member of a chat has a session of their own, or all of them share one. */
export interface MemberSessions {
  readonly inGroups: boolean;
  /** In the topics of a group, which people open to talk together. */
  readonly inThreads: boolean;
}

export const usualMemberSessions: MemberSessions = { inGroups: true, inThreads: false };

/** The part of a request that never changes while the signature stays: kept with the session, byte for byte. */
export interface FrozenPrompt {
  readonly signature: string;
  readonly system: string;
  /** Of what the system prompt consists, in order. */
  readonly parts?: readonly PromptPart[];
  readonly tools: readonly ToolSchema[];
  /** What it differs in from the one before it, which is known by its digest: the server's cache of that is of no more use. */
  readonly replaced?: { readonly detail: string; readonly byte: number; readonly digest?: string };
}

/** What a person chose for one session; what is left out is as the config says. */
export interface SessionSettings {
  /** A model by `provider:model`, by its name or by an alias. */
  readonly model?: string;
  readonly effort?: Effort;
  /** What a message does here while a turn runs. */
  readonly busyMode?: BusyMode;
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
  readonly settings: SessionSettings;
  /** Set once another was begun in its place: its task is to be closed. Whoever goes back to it takes that away again. */
  readonly ended?: 'replaced';
}

/** An address as one string: the key under which a session is found. No two addresses share it. */
export function addressKey({ platform, account, chat, thread, member }: Address): string {
  const parts = [platform, account, chat, thread, ...(member === undefined ? [] : [member])];
  return parts.map(encodePart).join('/');
}

// Encoding takes far longer than finding that there is nothing to encode.
function encodePart(part: string): string {
  return /^[\w.-]*$/.test(part) ? part : encodeURIComponent(part);
}

/** The place where all members of a chat read what is sent, whoever's conversation it belongs to. */
export function sharedPlace({ platform, account, chat, thread }: Address): Address {
  return { platform, account, chat, thread };
}
