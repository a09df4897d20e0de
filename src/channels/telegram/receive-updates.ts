import type { Update } from 'grammy/types';
import type { Clock } from '../../base/clock.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { TellState } from '../../model/channel-state.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import { insist } from './insist.ts';
import { pollUpdates, updateTypes } from './poll-updates.ts';
import type { Webhook } from './webhook.ts';

/** Where Telegram brings updates, and the secret that proves it is Telegram. */
export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  /** Where they are taken in; left out: whoever serves the address hands them to `handleUpdate`. */
  readonly listen?: { readonly host: string; readonly port: number };
}

export interface UpdateDeps {
  readonly bot: BotApi;
  readonly webhook?: WebhookOptions;
  readonly hook: Webhook | undefined;
  /** Tells whoever runs the program. */
  readonly report?: (line: string) => void;
  readonly tell?: TellState;
  readonly clock: Clock;
  readonly log: Log;
}

const farewellMs = 3000;
const mostConnections = 4;

/**
 * What Telegram brings or, where that is not wanted or cannot be, what it has when it is asked. Each update counts as dealt
 * with when the next one is asked for. Several at once are what was sent together.
 */
export async function* receiveUpdates(deps: UpdateDeps, signal: AbortSignal): AsyncGenerator<readonly Update[], void> {
  const { bot, webhook, hook } = deps;
  if (webhook && hook) {
    await using listening = await openListener(webhook, hook, deps);
    if (listening !== undefined && (await isTaken(webhook, deps, signal))) {
      if (listening.port !== undefined) tellPlace(webhook, listening.port, deps);
      try {
        for await (const update of hook.updates(signal)) yield [update];
        return;
      } finally {
        // Telegram keeps what comes from now on, and does not knock in vain.
        await bot.call((api, stop) => api.deleteWebhook({}, stop), AbortSignal.timeout(farewellMs));
      }
    }
  }
  const isFree = await insist(() => bot.call((api, stop) => api.deleteWebhook({}, stop), signal), deps, signal);
  if (isFree !== undefined) yield* pollUpdates(deps, signal);
}

interface Listener extends AsyncDisposable {
  readonly port: number | undefined;
}

async function openListener(
  { url, listen }: WebhookOptions,
  hook: Webhook,
  deps: UpdateDeps,
): Promise<Listener | undefined> {
  if (listen === undefined) return { port: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  try {
    const { openWebhookServer } = await import('./webhook-server.ts');
    return await openWebhookServer({ ...listen, path: new URL(url).pathname }, hook);
  } catch (thrown) {
    const reason = systemErrorCode(thrown) ?? describeError(thrown);
    tellFallback(`messages cannot be taken in at ${listen.host}:${listen.port} (${reason})`, deps);
    return undefined;
  }
}

/** Has Telegram bring updates. False where it will not; other troubles are waited out. */
async function isTaken({ url, secret }: WebhookOptions, deps: UpdateDeps, signal: AbortSignal): Promise<boolean> {
  // More than one, so that a stop can be brought while another message is being dealt with; the hook puts them in order.
  const options = { secret_token: secret, allowed_updates: updateTypes, max_connections: mostConnections };
  const arrange = async (): Promise<CallResult<true | { readonly refusal: string }>> => {
    const result = await deps.bot.call((api, stop) => api.setWebhook(url, options, stop), signal);
    if (result.type !== 'refused' || result.code !== 400) return result;
    return { type: 'done', value: { refusal: result.reason } };
  };
  const arranged = await insist(arrange, deps, signal);
  if (arranged === undefined || arranged === true) return arranged === true;
  tellFallback(`Telegram will not bring messages to ${url} (${arranged.refusal})`, deps);
  return false;
}

function tellPlace({ url, listen }: WebhookOptions, port: number, { report, log }: UpdateDeps): void {
  const line = `Telegram brings messages to ${url}; they are taken in at ${listen?.host}:${port}`;
  log.write('info', line);
  report?.(`${line}.`);
}

function tellFallback(problem: string, { report, log }: UpdateDeps): void {
  const line = `${problem}: they are asked for instead`;
  log.write('warn', line);
  report?.(`${line}.`);
}
