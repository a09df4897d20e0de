import type * as grammy from 'grammy';
import type { Api } from 'grammy';
import type { ResponseParameters } from 'grammy/types';
import type { Agent, IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { AppError, describeError, systemErrorCode } from '../../base/errors.ts';

/** How a call to Telegram ended. Only `unknown` may or may not have had its effect. */
export type CallResult<Value> =
  | { readonly type: 'done'; readonly value: Value }
  | { readonly type: 'flooded'; readonly afterMs: number; readonly reason: string }
  | {
      readonly type: 'refused';
      readonly code: number;
      readonly reason: string;
      readonly parameters: ResponseParameters;
    }
  /** It did not arrive, or the server says that it could not do it. */
  | { readonly type: 'undone'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string };

export interface BotApiOptions {
  readonly token: string;
  /** Where the Bot API is; undefined: Telegram's own. */
  readonly apiRoot: string | undefined;
  /** Opens the way to it, for those who need a proxy or certificates of their own; undefined: straight on. */
  readonly openAgent?: (() => Promise<Agent>) | undefined;
  readonly clock: Clock;
}

/** The library's own type of signal, which knows less than Node's. */
type ApiSignal = NonNullable<Parameters<Api['getMe']>[0]>;
type Work<Value> = (api: Api, signal: ApiSignal) => Promise<Value>;
type Library = typeof grammy;

const tokenShape = /^(\d+):[\w-]{20,}$/;
const requestTimeoutSeconds = 60;
const uploadTimeoutSeconds = 600;
const graceMs = 2000;
// Short, since all that comes behind a file waits for it, but for a stop.
const downloadTimeoutMs = 20_000;
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const certificateCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;
// Something in front of the API answered for it: what stands behind may have acted.
const relayStatuses: ReadonlySet<number> = new Set([502, 504]);

interface Loaded {
  readonly api: Api;
  readonly uploads: Api;
  readonly library: Library;
  readonly agent: Agent | undefined;
}

const telegramRoot = 'https://api.telegram.org';
const calledOff = { type: 'undone', reason: 'it was called off' } as const;

/** The library behind a result type that says what is known of each call, and in whose texts the token never stands. */
export class BotApi {
  /** The bot's own id: the first half of its token. */
  readonly botId: string;
  readonly #options: BotApiOptions;
  /** The one in use comes last; those before it are no less secret. */
  readonly #tokens: string[];
  #loading: Promise<Loaded> | undefined;
  /** Whether the last call got no answer. */
  #isLost = false;

  constructor(options: BotApiOptions) {
    const botId = tokenShape.exec(options.token)?.[1];
    if (botId === undefined) {
      throw new AppError('bad-config', 'the Telegram token is not one: @BotFather gives tokens like 123456789:AAH…');
    }
    this.botId = botId;
    this.#options = options;
    this.#tokens = [options.token];
  }

  /** Goes on with another token of the same bot, from the next call on. */
  changeToken(token: string): 'same' | 'changed' | 'other-bot' {
    if (token === this.#tokens.at(-1)) return 'same';
    if (tokenShape.exec(token)?.[1] !== this.botId) return 'other-bot';
    this.#tokens.push(token);
    this.#loading = undefined;
    return 'changed';
  }

  /** Makes one call. It never throws; an abort that comes too late to tell leaves the result `unknown`. */
  async call<Value>(work: Work<Value>, signal: AbortSignal): Promise<CallResult<Value>> {
    if (signal.aborted) return calledOff;
    const loaded = await this.#load().catch(describeError);
    if (typeof loaded === 'string') return { type: 'undone', reason: this.redact(loaded) };
    try {
      const value = await work(loaded.api, signal as unknown as ApiSignal);
      this.#isLost = false;
      return { type: 'done', value };
    } catch (thrown) {
      // A call that we broke off ourselves says nothing about the way to Telegram.
      if (!signal.aborted) this.#isLost = !(thrown instanceof loaded.library.GrammyError);
      return this.#explain(thrown, loaded.library);
    }
  }

  /**
   * A call that changes something. It is not sent into the dark: where the last call was lost, one that changes nothing
   * goes ahead. Once it has left it is given time to end, so that its outcome is known.
   */
  async act<Value>(work: Work<Value>, signal: AbortSignal): Promise<CallResult<Value>> {
    if (this.#isLost) {
      const probe = await this.call((api, stop) => api.getMe(stop), signal);
      if (probe.type !== 'done') return { type: 'undone', reason: probe.reason };
    }
    if (signal.aborted) return calledOff;
    return await this.#actOnce(work, signal);
  }

  /** As `act`, for what takes off what the program has shown: it is tried at its very end, too, for that little time. */
  async tidy<Value>(work: Work<Value>, ending: AbortSignal): Promise<CallResult<Value>> {
    return this.#isLost ? await this.act(work, ending) : await this.#actOnce(work, ending);
  }

  /** As `act`, for what is large and takes its time. */
  async upload<Value>(work: Work<Value>, signal: AbortSignal): Promise<CallResult<Value>> {
    return await this.act(async (_api, stop) => await work((await this.#load()).uploads, stop), signal);
  }

  async #actOnce<Value>(work: Work<Value>, signal: AbortSignal): Promise<CallResult<Value>> {
    const { clock } = this.#options;
    const late = new AbortController();
    const ended = new AbortController();
    const callOff = (): void => {
      clock.sleep(graceMs, ended.signal).then(
        () => late.abort(),
        () => undefined,
      );
    };
    if (signal.aborted) callOff();
    else signal.addEventListener('abort', callOff, { once: true });
    try {
      return await this.call(work, late.signal);
    } finally {
      signal.removeEventListener('abort', callOff);
      ended.abort();
    }
  }

  /** The bytes of a file that someone sent. Throws with a reason that can be shown. */
  async *download(fileId: string, mostBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const found = await this.call((api, stop) => api.getFile(fileId, stop), signal);
    if (found.type !== 'done') throw new AppError('not-found', found.reason);
    const { apiRoot = telegramRoot } = this.#options;
    const token = this.#tokens.at(-1);
    let bytes = 0;
    try {
      const url = new URL(`${apiRoot}/file/bot${token}/${found.value.file_path ?? ''}`);
      const { agent } = await this.#load();
      for await (const chunk of await get(url, agent, signal)) {
        bytes += (chunk as Uint8Array).length;
        if (bytes > mostBytes) throw new Error('it is larger than Telegram said');
        yield chunk as Uint8Array;
      }
    } catch (thrown) {
      throw new AppError('not-found', this.redact(describeError(thrown)));
    }
  }

  /** Texts with the token taken out, whoever put it there. */
  redact(text: string): string {
    return this.#tokens.reduce((clean, token) => clean.replaceAll(token, '[redacted]'), text);
  }

  #load(): Promise<Loaded> {
    this.#loading ??= this.#create().catch((thrown: unknown) => {
      this.#loading = undefined;
      throw thrown;
    });
    return this.#loading;
  }

  async #create(): Promise<Loaded> {
    const library = await import('grammy');
    const { apiRoot = telegramRoot, openAgent } = this.#options;
    const token = this.#tokens.at(-1) ?? '';
    const agent = await openAgent?.();
    const baseFetchConfig = agent === undefined ? {} : { agent };
    const open = (timeoutSeconds: number): Api => new library.Api(token, { apiRoot, timeoutSeconds, baseFetchConfig });
    return { api: open(requestTimeoutSeconds), uploads: open(uploadTimeoutSeconds), library, agent };
  }

  #explain(thrown: unknown, { GrammyError, HttpError }: Library): Exclude<CallResult<never>, { type: 'done' }> {
    if (thrown instanceof GrammyError) return this.#explainAnswer(thrown);
    // The error below names the address, and with it the token: only its code goes on.
    const code = thrown instanceof HttpError ? systemErrorCode(thrown.error) : undefined;
    const reason = `Telegram did not answer${code === undefined ? '' : ` (${code})`}`;
    const isUnsent = code !== undefined && (unsentCodes.has(code) || certificateCodes.test(code));
    return { type: isUnsent ? 'undone' : 'unknown', reason };
  }

  #explainAnswer(error: InstanceType<Library['GrammyError']>): Exclude<CallResult<never>, { type: 'done' }> {
    const { error_code: code, parameters } = error;
    const reason = this.redact(error.description);
    if (code === 429) return { type: 'flooded', afterMs: (parameters.retry_after ?? 1) * 1000, reason };
    if (code < 500) return { type: 'refused', code, reason, parameters };
    return { type: relayStatuses.has(code) ? 'unknown' : 'undone', reason };
  }
}

async function get(url: URL, agent: Agent | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  const client = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const patience = AbortSignal.any([signal, AbortSignal.timeout(downloadTimeoutMs)]);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    client.get(url, { signal: patience, ...(agent && { agent }) }, resolve).on('error', reject);
  });
  if (response.statusCode === 200) return response;
  response.resume();
  throw new Error(`Telegram answered ${response.statusCode} to the download`);
}
