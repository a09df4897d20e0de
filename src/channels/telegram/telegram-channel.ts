import type { Agent } from 'node:http';
import type { Update } from 'grammy/types';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Channel, Inbound } from '../../model/channel.ts';
import type { TellState } from '../../model/channel-state.ts';
import { noLiveMessages } from '../../model/live-messages.ts';
import type { LiveMessages } from '../../model/live-messages.ts';
import { usualMemberSessions } from '../../model/session.ts';
import type { MemberSessions } from '../../model/session.ts';
import type { BotIdentity } from './addressed.ts';
import { joinAlbum } from './album.ts';
import { BotApi } from './bot-api.ts';
import { chatWith } from './chat-with.ts';
import { fetchAttachments, filesIn } from './fetch-attachments.ts';
import type { AttachmentPolicy } from './fetch-attachments.ts';
import { followToken } from './follow-token.ts';
import { hearStopsDuring } from './hear-stops.ts';
import { insist } from './insist.ts';
import { Outgoing } from './outgoing.ts';
import { Previews } from './previews.ts';
import { placeOf, platform, readUpdate } from './read-update.ts';
import { receiveUpdates } from './receive-updates.ts';
import type { WebhookOptions } from './receive-updates.ts';
import type { UpdateReading } from './read-update.ts';
import { telegramTraits } from './telegram-traits.ts';
import { tidyUp } from './tidy-up.ts';
import { Webhook } from './webhook.ts';
import type { WebhookAnswer } from './webhook.ts';

export interface TelegramOptions {
  readonly token: string;
  /** The token as it is kept now; left out: it stays what it was. */
  readonly findToken?: () => string | undefined;
  /** Where the Bot API is; left out: Telegram's own. */
  readonly apiRoot?: string;
  /** Opens the way to it, for those who need a proxy or certificates of their own; left out: straight on. */
  readonly openAgent?: () => Promise<Agent>;
  /** The folder that new sessions work in. */
  readonly workdir: string;
  /** Whom the bot listens to in groups; left out: those who speak to it. */
  readonly groups?: UpdateReading['groups'];
  /** Left out: the members of a group have their own sessions, and share those of its topics. */
  readonly memberSessions?: MemberSessions;
  /** What is done with pictures and files; left out: they are only described. */
  readonly attachments?: AttachmentPolicy;
  /** The menu of commands. */
  readonly commands?: readonly BotCommand[];
  /** Where it is kept what stands in chats only while it is looked after; left out: nowhere. */
  readonly live?: LiveMessages;
  /** Left out: we fetch updates. */
  readonly webhook?: WebhookOptions;
  /** Tells whoever runs the program. */
  readonly report?: (line: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface BotCommand {
  readonly name: string;
  /** Other names that it is known by; no menu shows them. */
  readonly aliases?: readonly string[];
  readonly description: string;
}

export interface TelegramChannel extends Channel {
  /** Takes what Telegram posts to the webhook, and says what to answer once it was dealt with. */
  handleUpdate(body: unknown, secret: string | undefined): Promise<WebhookAnswer>;
}

/** A Telegram bot as a channel. It serves every chat of its own. Throws `bad-config` for what cannot be a token. */
export function createTelegramChannel(options: TelegramOptions): TelegramChannel {
  const { token, apiRoot, openAgent, clock, log, webhook, live = noLiveMessages } = options;
  const bot = new BotApi({ token, apiRoot, openAgent, clock });
  const end = new AbortController();
  const previews = new Previews({ bot, live, clock, ending: end.signal });
  const outgoing = new Outgoing({ bot, live, previews, ending: end.signal });
  const hook = webhook && new Webhook(webhook.secret, clock);
  return {
    name: platform,
    traits: telegramTraits,
    serves: (address) => address.platform === platform && address.account === bot.botId,
    chatWith: (person) => chatWith(person, bot.botId),
    receive(signal, tell = () => undefined) {
      // Whatever else is under way when nobody listens any more has little time left.
      signal.addEventListener('abort', () => end.abort(), { once: true });
      tell({ type: 'connecting' });
      return receive({ ...options, bot, live, previews, hook, tell }, signal);
    },
    send: (message, signal) => outgoing.send(message, signal),
    async preview(preview, signal) {
      try {
        await previews.show(preview, signal);
      } catch (thrown) {
        log.write('error', 'a turn could not be shown', { reason: describeError(thrown) });
      }
    },
    conclude: (question, platformId, ending) => outgoing.conclude(question, platformId, ending),
    endPress: (press, words, signal) => endPress(press, words, bot, signal),
    handleUpdate: (body, secret) => hook?.handle(body, secret) ?? Promise.resolve('not-listening'),
  };
}

interface Receiving extends TelegramOptions {
  readonly bot: BotApi;
  readonly live: LiveMessages;
  readonly previews: Pick<Previews, 'noteMessage'>;
  readonly hook: Webhook | undefined;
  readonly tell: TellState;
}

/** Throws `bad-config` when Telegram refuses the token that it begins with; everything else is waited out. */
async function* receive(deps: Receiving, signal: AbortSignal): AsyncGenerator<Inbound, void> {
  const identity = await introduce(deps, signal);
  if (identity === undefined) return;
  // Beside all else: nobody waits for it.
  void tidyUp(deps, signal);
  const { groups = 'addressed', memberSessions = usualMemberSessions, workdir } = deps;
  const reading: UpdateReading = { bot: identity, groups, memberSessions, workdir };
  for await (const updates of followToken((stop) => receiveUpdates(deps, stop), deps, signal)) {
    const arrived = readTogether(updates, reading, deps);
    const [update] = updates;
    if (arrived.length > 0) yield* fetchAndYield(arrived, reading, deps, signal);
    // Beside the rest: what comes behind a press does not wait for a sign on a button.
    else if (update?.callback_query) void endPress(update.callback_query.id, uselessButton, deps.bot, signal);
  }
}

interface Arrived {
  readonly inbound: Inbound;
  readonly update: Update;
}

/** Of an album only one piece has words: whom it speaks to, all of them do. */
function readTogether(updates: readonly Update[], reading: UpdateReading, deps: Receiving): readonly Arrived[] {
  const read = (how: UpdateReading): readonly Arrived[] =>
    updates.flatMap((update) => {
      const inbound = readOrSkip(update, how, deps);
      return inbound ? [{ inbound, update }] : [];
    });
  const arrived = read(reading);
  const isWhole = arrived.length === 0 || arrived.length === updates.length;
  return isWhole ? arrived : read({ ...reading, groups: 'all' });
}

async function* fetchAndYield(
  arrived: readonly Arrived[],
  reading: UpdateReading,
  deps: Receiving,
  signal: AbortSignal,
): AsyncGenerator<Inbound, void> {
  const [first] = arrived;
  if (first === undefined || arrived.every(({ update }) => filesIn(update).length === 0))
    return yield* joinAlbum(arrived.map(({ inbound }) => inbound));
  const { update } = first;
  const fetching = fetchAll(arrived, deps, signal);
  const stops = deps.hook?.stopsDuring(fetching, update) ?? hearStopsDuring(fetching, update, deps, signal);
  for await (const ahead of stops) {
    const stop = readOrSkip(ahead, reading, deps);
    if (stop) yield stop;
  }
  yield* joinAlbum(await fetching);
}

async function fetchAll(
  arrived: readonly Arrived[],
  deps: Receiving,
  signal: AbortSignal,
): Promise<readonly Inbound[]> {
  const fetched: Inbound[] = [];
  for (const { inbound, update } of arrived) fetched.push(await fetchAttachments(inbound, update, deps, signal));
  return fetched;
}

/** Learns who the bot is, and sets its menu. */
async function introduce(deps: Receiving, signal: AbortSignal): Promise<BotIdentity | undefined> {
  const { bot, commands = [] } = deps;
  const me = await insist(() => bot.call((api, stop) => api.getMe(stop), signal), deps, signal);
  if (me === undefined) return undefined;
  if (commands.length > 0) await setMenu(deps, commands, signal);
  const names = new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return { id: bot.botId, username: me.username, commands: names };
}

async function setMenu({ bot, log }: Receiving, commands: readonly BotCommand[], signal: AbortSignal): Promise<void> {
  const result = await bot.call((api, stop) => api.setMyCommands(menuOf(commands), {}, stop), signal);
  if (result.type !== 'done') log.write('warn', 'the Telegram menu was not set', { reason: result.reason });
}

/** Telegram refuses the whole menu for one name that it does not like. */
function menuOf(commands: readonly BotCommand[]): { readonly command: string; readonly description: string }[] {
  return commands
    .filter(({ name, description }) => /^[a-z0-9_]{1,32}$/.test(name) && description !== '')
    .map(({ name, description }) => ({ command: name, description: description.slice(0, 256).toWellFormed() }))
    .slice(0, 100);
}

/** One update that cannot be read must not hold up all that come behind it. */
function readOrSkip(update: Update, reading: UpdateReading, { previews, log }: Receiving): Inbound | undefined {
  try {
    // Whoever wrote it, and to whom: it stands below what was shown before.
    if (update.message) previews.noteMessage(placeOf(update.message), update.message.message_id);
    return readUpdate(update, reading);
  } catch (thrown) {
    log.write('error', 'an update of Telegram was left out', { id: update.update_id, reason: describeError(thrown) });
    return undefined;
  }
}

const uselessButton = 'This button is of no use any more.';
const longestWords = 200;

/** Takes the waiting sign off a pressed button. Best effort, for the few seconds that it shows. Never rejects. */
async function endPress(id: string, words: string | undefined, bot: BotApi, signal: AbortSignal): Promise<void> {
  const said = words === undefined ? {} : { text: words.slice(0, longestWords).toWellFormed() };
  await bot.call((api, stop) => api.answerCallbackQuery(id, said, stop), signal);
}
