import { createHash, hash } from 'node:crypto';
import type { Message } from '../model/message.ts';
import type { Effort, Usage } from '../model/provider.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { FrozenPrompt } from '../model/session.ts';
import type { AskedPrefix, PrefixCause, PrefixChange, TurnEntry } from '../model/turn.ts';

/** A request that is about to be sent, as far as a server could have it ready. */
export interface NextRequest {
  readonly runtime: RuntimeName;
  readonly prompt: FrozenPrompt;
  readonly messages: readonly Message[];
  readonly effort: Effort | undefined;
}

export interface ComparedPrefix {
  readonly prefix: AskedPrefix;
  /** Undefined where the request extends the last one to the same model. */
  readonly change: PrefixChange | undefined;
}

interface LastAsked {
  readonly prefix: AskedPrefix;
  /** How many tokens its prompt had, once the server counted them. */
  readonly tokens: number | undefined;
  /** What happened to the conversation since. */
  readonly since: 'compacted' | 'restored' | 'reasoning' | undefined;
}

/**
 * What the last request to each model began with, folded from the log. Servers keep the beginning of a conversation
 * ready; a request that does not extend the last one pays for everything anew, and says why.
 */
export class AskedPrefixes {
  readonly #last = new Map<RuntimeName, LastAsked>();
  #asking: RuntimeName | undefined;
  // Digests of single messages: a long conversation is not read again for every request.
  readonly #digests = new WeakMap<Message, string>();
  readonly #prompts = new WeakMap<FrozenPrompt, string>();

  take(entry: TurnEntry): void {
    if (entry.type === 'step.asked') {
      this.#asking = entry.runtime;
      this.#last.set(entry.runtime, { prefix: entry, tokens: undefined, since: undefined });
    }
    if (entry.type === 'step.finished') this.#count(entry.usage);
    if (entry.type === 'context.compacted') this.#mark('compacted');
    if (entry.type === 'context.restored') this.#mark('restored');
    if (entry.type === 'step.failed' && entry.next.type === 'forget-reasoning') this.#mark('reasoning');
  }

  /** Holds a request against the last one to the same model. */
  compare({ runtime, prompt, messages, effort }: NextRequest): ComparedPrefix {
    const last = this.#last.get(runtime);
    const { digest, earlier } = this.#digest(messages, last?.prefix.messages);
    const prefix: AskedPrefix = {
      runtime,
      prompt: this.#promptDigest(prompt),
      messages: messages.length,
      digest,
      ...(effort === undefined ? {} : { effort }),
    };
    return { prefix, change: findChange(prefix, prompt, earlier, last) };
  }

  /**
   * The most tokens that the prompt of a request can have: what the server counted last time, and a token for every byte
   * that is new. No tokenizer makes more of a text than it has bytes.
   */
  mostTokens(request: NextRequest): number {
    const last = this.#last.get(request.runtime);
    const isExtended = last?.tokens !== undefined && this.compare(request).change === undefined;
    const [known, fresh] = isExtended
      ? [last.tokens, request.messages.slice(last.prefix.messages)]
      : [Buffer.byteLength(promptText(request.prompt)), request.messages];
    return known + Buffer.byteLength(JSON.stringify(fresh));
  }

  #count({ fresh, cacheRead, cacheWrite }: Usage): void {
    const last = this.#asking && this.#last.get(this.#asking);
    const tokens = fresh + cacheRead + cacheWrite;
    // Some servers do not count; nothing is known then.
    if (last && tokens > 0) this.#last.set(last.prefix.runtime, { ...last, tokens });
  }

  #mark(since: LastAsked['since']): void {
    for (const [runtime, last] of this.#last) this.#last.set(runtime, { ...last, since });
  }

  /** The digest of all messages, and of as many as the earlier request carried. */
  #digest(messages: readonly Message[], count: number | undefined): { digest: string; earlier: string | undefined } {
    const whole = createHash('sha256');
    let earlier = count === 0 ? whole.copy().digest('base64url') : undefined;
    for (const [index, message] of messages.entries()) {
      whole.update(this.#messageDigest(message));
      if (index + 1 === count) earlier = whole.copy().digest('base64url');
    }
    return { digest: whole.digest('base64url'), earlier };
  }

  #messageDigest(message: Message): string {
    const known = this.#digests.get(message);
    if (known !== undefined) return known;
    const digest = hash('sha256', JSON.stringify(message), 'base64url');
    this.#digests.set(message, digest);
    return digest;
  }

  #promptDigest(prompt: FrozenPrompt): string {
    const known = this.#prompts.get(prompt);
    if (known !== undefined) return known;
    const digest = hash('sha256', promptText(prompt), 'base64url');
    this.#prompts.set(prompt, digest);
    return digest;
  }
}

/** A prompt as one text, in the order in which servers read it. */
export function promptText({ system, tools }: Pick<FrozenPrompt, 'system' | 'tools'>): string {
  return `${system}\n${JSON.stringify(tools)}`;
}

function findChange(
  prefix: AskedPrefix,
  prompt: FrozenPrompt,
  earlier: string | undefined,
  last: LastAsked | undefined,
): PrefixChange | undefined {
  if (last === undefined) return { cause: 'first', detail: `the first request to ${prefix.runtime}`, byte: 0 };
  if (last.prefix.prompt !== prefix.prompt) {
    const { detail, byte } = prompt.replaced ?? { detail: 'the prompt was made anew', byte: 0 };
    return { cause: 'prompt', detail, byte };
  }
  const cause = findMessageChange(prefix, earlier, last);
  if (cause === undefined) return undefined;
  return { cause, detail: causeTexts[cause], byte: Buffer.byteLength(promptText(prompt)) };
}

type MessageCause = Exclude<PrefixCause, 'first' | 'prompt'>;

function findMessageChange(
  prefix: AskedPrefix,
  earlier: string | undefined,
  { prefix: last, since }: LastAsked,
): MessageCause | undefined {
  if (earlier !== last.digest) return since ?? 'unexplained';
  return last.effort === prefix.effort ? undefined : 'effort';
}

const causeTexts: Readonly<Record<MessageCause, string>> = {
  compacted: 'the conversation was shortened',
  restored: 'a shortened conversation was taken back',
  reasoning: 'the server did not take back what was thought before',
  effort: 'the effort of thinking was changed',
  unexplained: 'earlier messages changed, and nothing explains it: this is a defect',
};
