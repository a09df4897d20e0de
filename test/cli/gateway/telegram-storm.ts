import assert from 'node:assert/strict';
import type { User } from 'grammy/types';
import { systemClock } from '../../../src/base/clock.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import { says } from '../../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../../support/model-script.ts';
import { RandomNumbers } from '../../support/random-numbers.ts';
import { badGateway, dropsAfter, dropsBefore, floods, internalError } from '../../support/telegram-server-faults.ts';
import type { TelegramFault } from '../../support/telegram-server-faults.ts';
import type { SeenCall, TelegramServer } from '../../support/telegram-server.ts';
import { isExtended, judgeRequest } from '../../support/wire-judge.ts';
import type { WirePrefix } from '../../support/wire-judge-parts.ts';
import { openGatewayDesk } from './gateway-desk.ts';

export interface StormSize {
  readonly chats: number;
  readonly messages: number;
  /** How many of the calls that send or show something go wrong, in a thousand. */
  readonly faultsInAThousand: number;
}

/** What came of it, once all of it was judged to be well. */
export interface StormReport {
  readonly answers: number;
  readonly markedCopies: number;
  /** Half-shown answers that nobody could take away: the program died, or the answer to showing them was lost. */
  readonly leftPreviews: number;
  readonly modelRequests: number;
  readonly faults: number;
}

const mark = '(sent again: you may have seen this)\n';
const cursor = ' ▉';
/** After these it is known that nothing was done. */
const plainTroubles: readonly TelegramFault[] = [floods(1), internalError];
const troubles: readonly TelegramFault[] = [...plainTroubles, dropsBefore, dropsAfter, badGateway];
const pollShare = 0.05;
const longTail = 'and this is long enough to be shown while it is written, word by word, as far as Telegram allows it';

/**
 * So many people, each of whom says the next thing once the last was answered, while calls fail at random, updates come
 * twice and backwards, and the program is killed twice. Every message must get exactly one answer, in order; a second copy is
 * marked; and each request to the model begins with all of the one before it in its chat, byte for byte.
 */
export async function weatherStorm(size: StormSize, seed: number): Promise<StormReport> {
  const random = new RandomNumbers(seed);
  const people = Array.from({ length: size.chats }, (_, index) => personOf(index));
  const judge = new PrefixJudge();
  await using bench = await openGatewayDesk(
    (request) => {
      // Judged at once and let go: thousands of them would fill the memory.
      bench.desk.server.requests.length = 0;
      return judge.answer(request);
    },
    people.map(({ id }) => id),
  );
  const { telegram } = bench;
  const total = size.chats * size.messages;
  const weather = new Weather(random, size.faultsInAThousand);
  telegram.updates.order = 'doubled-and-reversed';
  telegram.disturb = (call) => weather.disturb(call);
  let gateway = await bench.start();

  const talks = Promise.all(people.map((person) => converse(telegram, person, size)));
  for (const share of [0.2 + random.below(20) / 100, 0.5 + random.below(30) / 100]) {
    await telegram.whenCalled('sendMessage', Math.round(total * share));
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    weather.noteKill(people);
    gateway = await bench.start();
  }
  await talks;
  gateway.child.kill('SIGTERM');
  await gateway.ended;

  assert.deepEqual(judge.problems, []);
  const judged = people.map((person) => judgeChat(telegram, person, size.messages));
  return {
    answers: total,
    markedCopies: judged.reduce((sum, { copies }) => sum + copies, 0),
    leftPreviews: judged.reduce((sum, { previews }) => sum + previews, 0),
    modelRequests: judge.requests,
    faults: weather.faults,
  };
}

function personOf(index: number): User {
  return { id: 10_000 + index, is_bot: false, first_name: 'P' };
}

/**
 * What goes wrong, at random. A send that may or may not have arrived is repeated once, marked, and never a third time, so
 * that the copy can be lost as well: two of them in a row in one chat are left out here.
 */
class Weather {
  readonly #random: RandomNumbers;
  readonly #share: number;
  /** Where the next send is spared. */
  readonly #inDoubt = new Set<unknown>();
  faults = 0;

  constructor(random: RandomNumbers, inAThousand: number) {
    this.#random = random;
    this.#share = inAThousand / 1000;
  }

  disturb({ method, parameters }: SeenCall): TelegramFault | undefined {
    if (method === 'getUpdates') return this.#draw(pollShare, troubles);
    if (method === 'editMessageText') return this.#draw(this.#share, troubles);
    if (method !== 'sendMessage') return undefined;
    const chat = parameters['chat_id'];
    const fault = this.#draw(this.#share, this.#inDoubt.delete(chat) ? plainTroubles : troubles);
    if (fault !== undefined && !plainTroubles.includes(fault)) this.#inDoubt.add(chat);
    return fault;
  }

  /** Whatever was being sent when the program died is in doubt. */
  noteKill(people: readonly User[]): void {
    for (const { id } of people) this.#inDoubt.add(String(id));
  }

  #draw(share: number, choice: readonly TelegramFault[]): TelegramFault | undefined {
    if (!this.#random.chance(share)) return undefined;
    this.faults += 1;
    return this.#random.pick(choice);
  }
}

async function converse(telegram: TelegramServer, from: User, { chats, messages }: StormSize): Promise<void> {
  // All begin at once, so that the last of them waits for all the others.
  const longestMs = 60_000 + 300 * chats;
  for (let number = 1; number <= messages; number += 1) {
    telegram.say(messageOf(from, number), { from });
    const answer = answerTo(messageOf(from, number));
    const answered = telegram.whenShown(from.id, (texts) => texts.some((text) => text.endsWith(answer)));
    if ((await inTime(answered, longestMs)) === 'in-time') continue;
    const shown = telegram.shown(from.id).map(({ text }) => text);
    assert.fail(`nothing came for ${longestMs} ms in chat ${from.id}, which shows:\n${shown.join('\n')}`);
  }
}

/** What never comes is reported, instead of being waited for. */
async function inTime(coming: Promise<unknown>, longestMs: number): Promise<'in-time' | 'late'> {
  const ended = new AbortController();
  const late = systemClock.sleep(longestMs, ended.signal).then(
    () => 'late' as const,
    () => 'in-time' as const,
  );
  const came = await Promise.race([coming.then(() => 'in-time' as const), late]);
  ended.abort();
  return came;
}

function messageOf({ id }: User, number: number): string {
  return `chat ${id}, message ${number}${number % 5 === 0 ? `: ${longTail}` : ''}`;
}

function answerTo(message: string): string {
  return `re: ${message}`;
}

interface JudgedChat {
  readonly copies: number;
  readonly previews: number;
}

function judgeChat(telegram: TelegramServer, person: User, messages: number): JudgedChat {
  const shown = telegram.shown(person.id).map(({ text }) => text);
  const finished = shown.filter((text) => !text.endsWith(cursor));
  const answers = finished.filter((text, index) => !isMarkedCopy(text, finished[index - 1]));
  const expected = Array.from({ length: messages }, (_, index) => answerTo(messageOf(person, index + 1)));
  const found = answers.map((text) => text.replace(mark, ''));
  assert.deepEqual(found, expected, `chat ${person.id} shows:\n${shown.join('\n')}`);
  return { copies: finished.length - answers.length, previews: shown.length - finished.length };
}

function isMarkedCopy(text: string, before: string | undefined): boolean {
  return text.startsWith(mark) && before?.replace(mark, '') === text.slice(mark.length);
}

/** Answers with an echo, and holds each request against the last one of its chat. */
class PrefixJudge {
  readonly problems: string[] = [];
  requests = 0;
  readonly #last = new Map<string, WirePrefix>();

  answer(request: SeenRequest): ModelStep {
    this.requests += 1;
    const messages = request.json?.['messages'];
    const last = Array.isArray(messages) ? messages.at(-1) : undefined;
    const said = isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '?';
    const [chat = '?'] = /^chat \d+/.exec(said) ?? [];
    const prefix = judgeRequest('chat_completions', request.body);
    const before = this.#last.get(chat);
    if (before && !isExtended(before, prefix))
      this.problems.push(`a request of ${chat} does not extend the last: ${said}`);
    this.#last.set(chat, prefix);
    return says(answerTo(said));
  }
}
