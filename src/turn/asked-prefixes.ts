import { hash } from 'node:crypto';
import { imagesIn } from '../model/message.ts';
import type { Message } from '../model/message.ts';
import type { Effort, ModelRequest, Usage } from '../model/provider.ts';
import { addressOf } from '../model/runtime.ts';
import type { ApiMode, Runtime } from '../model/runtime.ts';
import type { FrozenPrompt } from '../model/session.ts';
import type { AskedPrefix, PrefixCause, PrefixChange, TurnEntry } from '../model/turn.ts';
import { beginsWith, digestFirst, GrowingDigest } from './messages-digest.ts';
import { OwnThoughts } from './own-thoughts.ts';

/** A request that is about to be sent, as far as a server could have it ready. */
export interface NextRequest {
  readonly runtime: AskedRuntime;
  readonly prompt: FrozenPrompt;
  readonly messages: readonly Message[];
  readonly effort: Effort | undefined;
  readonly toolUse: ModelRequest['toolUse'];
}

export type AskedRuntime = Pick<Runtime, 'name' | 'vendor' | 'apiMode' | 'baseUrl'>;

export interface ComparedPrefix {
  readonly prefix: AskedPrefix;
  /** Undefined where the request extends the last one to the same model. */
  readonly change: PrefixChange | undefined;
}

interface LastAsked {
  readonly prefix: AskedPrefix;
  /** What it carried; undefined where it was sent before the program was started. */
  readonly messages: readonly Message[] | undefined;
  /** How many tokens its prompt had, once the server counted them. */
  readonly tokens: number | undefined;
  /** What happened to the conversation since. */
  readonly since: 'compacted' | 'restored' | 'undone' | 'reasoning' | 'images' | undefined;
  /** The server's id of the last answer: of this request or, until it is answered, of one before it. */
  readonly answerId: string | undefined;
}

/**
 * What the last request to each model began with, folded from the log. Servers keep the beginning of a conversation
 * ready; a request that does not extend the last one pays for everything anew, and says why.
 */
export class AskedPrefixes {
  // By model and server; entries that do not name their server stand for all servers of the model.
  readonly #last = new Map<string, LastAsked>();
  #asking: string | undefined;
  /** What was compared last: if it is sent, the next change can be told to the byte. */
  #compared: { readonly digest: string; readonly messages: readonly Message[] } | undefined;
  readonly #thoughts = new OwnThoughts();
  readonly #digest = new GrowingDigest();
  readonly #prompts = new WeakMap<FrozenPrompt, string>();
  readonly #servers = new WeakMap<AskedRuntime, string>();

  take(entry: TurnEntry): void {
    if (entry.type === 'step.asked') this.#ask(entry);
    if (entry.type === 'step.finished') this.#settle(entry.usage, entry.answerId);
    if (entry.type === 'context.compacted') this.#mark('compacted', () => true);
    if (entry.type === 'context.restored') this.#mark('restored', () => true);
    if (entry.type === 'context.undone') this.#mark('undone', () => true);
    if (entry.type !== 'step.failed') return;
    const { next } = entry;
    if (next.type === 'forget-reasoning') this.#mark('reasoning', ({ runtime }) => runtime.startsWith(`${next.of}:`));
    if (next.type === 'withhold-images') this.#mark('images', ({ runtime }) => runtime === next.from);
  }

  /** The id that the server gave the last answer of a model: it may be asked what changed since. */
  lastAnswerId(runtime: AskedRuntime): string | undefined {
    return this.#find(runtime)?.answerId;
  }

  /** Holds a request against the last one to the same model. */
  compare(request: NextRequest): ComparedPrefix {
    const { runtime, prompt, effort, toolUse } = request;
    const last = this.#find(runtime);
    const messages = this.#thoughts.readBy(runtime.vendor, request.messages);
    const digest = this.#digest.of(messages);
    this.#compared = { digest, messages };
    const prefix: AskedPrefix = {
      runtime: runtime.name,
      server: this.#serverDigest(runtime),
      prompt: this.#promptDigest(prompt),
      messages: messages.length,
      digest,
      ...(effort === undefined ? {} : { effort }),
      ...(toolUse === 'forbidden' ? { toolUse } : {}),
    };
    if (last === undefined) return { prefix, change: this.#describeFirst(runtime) };
    return { prefix, change: findChange({ ...request, messages }, prefix, last) };
  }

  /**
   * The most tokens that the prompt of a request can have: what the server counted last time, and a token for every byte
   * that is new. No tokenizer makes more of a text than it has bytes. Images have a worst case of their own.
   */
  mostTokens(request: NextRequest): number {
    const last = this.#find(request.runtime);
    const change = this.compare(request).change?.cause;
    // What may be called is no part of the text.
    const isExtended = last?.tokens !== undefined && (change === undefined || change === 'tool-choice');
    const [known, fresh] = isExtended
      ? [last.tokens, request.messages.slice(last.prefix.messages)]
      : [bytesOf(request.prompt), request.messages];
    const images = fresh.flatMap(imagesIn).length;
    return known + Buffer.byteLength(JSON.stringify(fresh)) + images * mostImageTokens;
  }

  #ask(prefix: AskedPrefix): void {
    const key = keyOf(prefix);
    const answerId = (this.#last.get(key) ?? this.#last.get(prefix.runtime))?.answerId;
    const messages = this.#compared?.digest === prefix.digest ? this.#compared.messages : undefined;
    this.#last.set(key, { prefix, messages, tokens: undefined, since: undefined, answerId });
    this.#asking = key;
    this.#compared = undefined;
  }

  #find(runtime: AskedRuntime): LastAsked | undefined {
    const key = keyOf({ runtime: runtime.name, server: this.#serverDigest(runtime) });
    return this.#last.get(key) ?? this.#last.get(runtime.name);
  }

  #describeFirst({ name }: AskedRuntime): PrefixChange {
    const isKnown = [...this.#last.values()].some(({ prefix }) => prefix.runtime === name);
    return isKnown
      ? { cause: 'address', detail: `${name} is asked at another address or over another protocol`, byte: 0 }
      : { cause: 'first', detail: `the first request to ${name}`, byte: 0 };
  }

  #settle({ fresh, cacheRead, cacheWrite }: Usage, answerId: string | undefined): void {
    const last = this.#asking === undefined ? undefined : this.#last.get(this.#asking);
    if (!last) return;
    const counted = fresh + cacheRead + cacheWrite;
    // Some servers do not count; nothing is known then.
    const tokens = counted > 0 ? counted : last.tokens;
    this.#last.set(keyOf(last.prefix), { ...last, tokens, answerId });
  }

  #mark(since: LastAsked['since'], isMeant: (prefix: AskedPrefix) => boolean): void {
    for (const [key, last] of this.#last) if (isMeant(last.prefix)) this.#last.set(key, { ...last, since });
  }

  #promptDigest(prompt: FrozenPrompt): string {
    return remember(this.#prompts, prompt, digestPrompt);
  }

  #serverDigest(runtime: AskedRuntime): string {
    return remember(this.#servers, runtime, digestServer);
  }
}

function remember<Key extends object>(known: WeakMap<Key, string>, key: Key, find: (key: Key) => string): string {
  const found = known.get(key) ?? find(key);
  known.set(key, found);
  return found;
}

function keyOf({ runtime, server }: Pick<AskedPrefix, 'runtime' | 'server'>): string {
  return server === undefined ? runtime : `${runtime} ${server}`;
}

/** As a digest, since a path may have a secret in it. */
function digestServer({ apiMode, baseUrl }: AskedRuntime): string {
  return hash('sha256', `${apiMode} ${addressOf(baseUrl)}`, 'base64url').slice(0, 16);
}

// GPT-4o mini counts a large picture as 48,169 tokens, which is the most that any documentation has.
const mostImageTokens = 50_000;

/** A prompt as one text, in the order in which servers read it. */
export function promptText({ system, tools }: Pick<FrozenPrompt, 'system' | 'tools'>): string {
  return `${system}\n${JSON.stringify(tools)}`;
}

export function digestPrompt(prompt: FrozenPrompt): string {
  return hash('sha256', promptText(prompt), 'base64url');
}

function findChange(
  { runtime, prompt, messages }: NextRequest,
  prefix: AskedPrefix,
  last: LastAsked,
): PrefixChange | undefined {
  if (last.prefix.prompt !== prefix.prompt) {
    return { cause: 'prompt', ...findPromptChange(prompt, last.prefix.prompt) };
  }
  if (!extendsLast(messages, last)) {
    const cause = last.since ?? 'unexplained';
    const byte = bytesOf(prompt) + firstChangedByte(last.messages ?? [], messages);
    return { cause, detail: causeTexts[cause], byte };
  }
  const cause = readAnewAfter[runtime.apiMode].find((field) => last.prefix[fields[field]] !== prefix[fields[field]]);
  return cause && { cause, detail: causeTexts[cause], byte: bytesOf(prompt) };
}

function extendsLast(messages: readonly Message[], { prefix, messages: earlier }: LastAsked): boolean {
  if (earlier !== undefined && beginsWith(messages, earlier)) return true;
  return digestFirst(prefix.messages, messages) === prefix.digest;
}

function bytesOf(prompt: FrozenPrompt): number {
  return Buffer.byteLength(promptText(prompt));
}

const fields = { effort: 'effort', 'tool-choice': 'toolUse' } as const;

/**
 * What stands outside of prompt and messages and makes a server read the messages anew all the same. Anthropic's
 * documentation of its cache names both; elsewhere they stand behind the messages.
 */
const readAnewAfter: Readonly<Record<ApiMode, readonly (keyof typeof fields)[]>> = {
  chat_completions: [],
  codex_responses: [],
  anthropic_messages: ['effort', 'tool-choice'],
};

/** Counted from the beginning of the messages. */
function firstChangedByte(before: readonly Message[], after: readonly Message[]): number {
  let bytes = 0;
  for (const [index, message] of before.entries()) {
    const [left, right] = [message, after[index]].map((each) => Buffer.from(each ? JSON.stringify(each) : ''));
    if (left === undefined || right === undefined) break;
    if (!left.equals(right)) return bytes + left.findIndex((byte, place) => byte !== right[place]);
    bytes += left.length;
  }
  return bytes;
}

/** What a prompt says about the one before it holds only where that one was the last to be sent. */
function findPromptChange({ replaced }: FrozenPrompt, lastSent: string): Pick<PrefixChange, 'detail' | 'byte'> {
  if (replaced?.digest !== lastSent) return { detail: 'the prompt was made anew', byte: 0 };
  return { detail: replaced.detail, byte: replaced.byte };
}

type MessageCause = Exclude<PrefixCause, 'first' | 'address' | 'prompt'>;

const causeTexts: Readonly<Record<MessageCause, string>> = {
  compacted: 'the conversation was shortened',
  restored: 'a shortened conversation was taken back',
  undone: 'a turn was taken back',
  reasoning: 'the server did not take back what was thought before',
  images: 'the server did not take the images',
  effort: 'the effort of thinking was changed',
  'tool-choice': 'whether tools may be called was changed',
  unexplained: 'earlier messages changed, and nothing explains it: this is a defect',
};
