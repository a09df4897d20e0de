import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { succeed } from '../../src/agents/succeed-prompt.ts';
import { describeError } from '../../src/base/errors.ts';
import type { FaultPoint } from '../../src/model/faults.ts';
import type { FrozenPrompt, Session } from '../../src/model/session.ts';
import type { Outbound } from '../../src/model/channel.ts';
import type { LoggedEntry, StepEvent } from '../../src/model/turn.ts';
import { ManualClock } from './manual-clock.ts';
import type { ModelStep, SeenRequest } from './model-script.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer } from './model-server.ts';
import { answerIn, plainAnswer } from './random-answers.ts';
import type { Answer } from './random-answers.ts';
import type { Act, Course, Move, Plan } from './random-plan.ts';
import { environmentOf, keyIn, settingsFor } from './random-settings.ts';
import { makeTempFolder } from './temp-folder.ts';
import { openTestHouse } from './test-house.ts';
import type { TestHouse } from './test-house.ts';

/** A request that arrived, and the entry of the log that announced it. */
export interface SentRequest {
  readonly seq: number;
  /** The place of its runtime in the plan. */
  readonly place: number;
  readonly key: string;
  readonly body: string;
  readonly prompt: FrozenPrompt | undefined;
}

/** All that came of a plan. */
export interface Played {
  readonly plan: Plan;
  readonly log: readonly LoggedEntry[];
  readonly sent: readonly SentRequest[];
  /** After which entries the program was started anew. */
  readonly restarts: readonly number[];
  readonly shown: readonly Outbound[];
  /** What went wrong with the playing itself. */
  readonly problems: readonly string[];
}

/** Plays a conversation in the real app, against a scripted server that speaks for all of its runtimes. */
export async function play(plan: Plan): Promise<Played> {
  const player = new Player(plan);
  await using server = await startModelServer((request) => player.answer(request));
  await using folder = await makeTempFolder(await findQuickFolder());
  await using house = await openTestHouse({
    script: [],
    settings: settingsFor(plan.setup, server.origin),
    env: environmentOf(plan.setup),
    consent: plan.setup.consent,
    clock: player.clock,
    faults: { reach: (point) => player.reach(point) },
    homeParent: folder.path,
  });
  await player.begin(house, server);
  for (const move of plan.moves) await player.move(move);
  return await player.end();
}

const memory = '/dev/shm';
const enoughBytes = 512 * 1024 * 1024;

/** Nothing here is about what a disk keeps: where there is a folder in memory, with room, no time is spent on waiting for one. */
async function findQuickFolder(): Promise<string> {
  const room = await statfs(memory).catch(() => undefined);
  return room && room.bavail * room.bsize > enoughBytes ? memory : tmpdir();
}

const calm: Course = { answers: [], summaries: [], interjections: [], inFirstWait: 'nothing' };

class Player {
  readonly clock = new ManualClock();
  readonly #plan: Plan;
  readonly #sent: SentRequest[] = [];
  readonly #restarts: number[] = [];
  readonly #problems: string[] = [];
  readonly #log: LoggedEntry[] = [];
  readonly #reached = new Map<FaultPoint, number>();
  #answers: Answer[] = [];
  #summaries: Answer[] = [];
  #course = calm;
  #hasWaited = false;
  #stall: Extract<Answer, { readonly type: 'stalls' }> | undefined;
  #said = 0;
  #restarting: Promise<void> = Promise.resolve();
  #fullPrompt: FrozenPrompt | undefined;
  #house!: TestHouse;
  #server!: ModelServer;
  #session!: Session;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  async begin(house: TestHouse, server: ModelServer): Promise<void> {
    this.#house = house;
    this.#server = server;
    this.#session = await house.session();
    this.#watch();
  }

  async move(move: Move): Promise<void> {
    switch (move.type) {
      case 'say':
        return await this.#run(move, this.#mark(move.text));
      case 'compact':
        return await this.#run(move, '/compact');
      case 'undo':
        return await this.#run(move, '/compact undo');
      case 'restart':
        return await this.#restart();
      case 'think':
        await this.#house.admit(`/reasoning ${move.effort}`);
        return;
      case 'pass-time':
        return this.clock.advance(move.ms);
      case 'change-prompt':
        return await this.#changePrompt(move.without);
    }
  }

  async end(): Promise<Played> {
    await this.#readLog();
    return {
      plan: this.#plan,
      log: this.#log,
      sent: this.#sent,
      restarts: this.#restarts,
      shown: this.#house.shown,
      problems: this.#problems,
    };
  }

  /** What the server answers. Every request is noted together with the entry that was written before it left. */
  async answer(request: SeenRequest): Promise<ModelStep> {
    const place = Number(/^\/r(\d)\//.exec(request.path)?.[1]);
    const asked = (await this.#readLog()).findLast(({ entry }) => /^(?:step|compaction)\.asked$/.test(entry.type));
    const prompt = await this.#house.frozenPrompt();
    this.#sent.push({ seq: asked?.seq ?? 0, place, key: keyIn(request.headers), body: request.body, prompt });
    this.#fullPrompt ??= prompt;
    const queue = asked?.entry.type === 'compaction.asked' ? this.#summaries : this.#answers;
    const answer = queue.shift() ?? plainAnswer;
    if (answer.type === 'stalls') this.#stall = answer;
    return answerIn(this.#plan.setup.runtimes[place]?.apiMode ?? 'chat_completions', answer, this.#sent.length);
  }

  /** Called by the program between its records and its acts. */
  async reach(point: FaultPoint): Promise<void> {
    const nth = (this.#reached.get(point) ?? 0) + 1;
    this.#reached.set(point, nth);
    for (const { at, nth: wished, act } of this.#course.interjections) {
      if (at === point && wished === nth) await this.#interject(act);
    }
  }

  async #run(course: Course, text: string): Promise<void> {
    this.#course = course;
    this.#answers = [...course.answers];
    this.#summaries = [...course.summaries];
    this.#hasWaited = false;
    this.#reached.clear();
    await this.#house.admit(text);
    await this.#settle();
    this.#course = calm;
  }

  /** Waits until nothing is left to do, and does what a model that stands still waits for. */
  async #settle(): Promise<void> {
    for (;;) {
      const restarting = this.#restarting;
      await restarting;
      const idle = this.#house.gateway.whenIdle(this.#session.id).then(() => 'idle' as const);
      const seen = await Promise.race([idle, this.#server.whenStalled().then(() => 'stalled' as const)]);
      if (seen === 'stalled') await this.#endStall();
      else if (restarting === this.#restarting) return;
    }
  }

  async #endStall(): Promise<void> {
    const until = this.#stall?.until ?? 'steer';
    await this.#interject(until);
    if (until === 'steer') this.#server.release();
    await this.#server.whenNoneStalled();
    await this.#restarting;
  }

  async #interject(act: Act): Promise<void> {
    switch (act) {
      case 'steer':
        await this.#house.admit(this.#mark('and this'));
        return;
      case 'stop':
        await this.#house.admit('/stop');
        return;
      case 'compact':
        await this.#house.admit('/compact');
        return;
      case 'restart':
        // The house is closed for a while: nobody can say anything. And the program cannot end while the moment that it
        // has reached goes on, so nobody waits for it here.
        this.#course = { ...this.#course, interjections: [], inFirstWait: 'nothing' };
        this.#restarting = this.#restart();
    }
  }

  async #restart(): Promise<void> {
    // One that began in the middle of a turn may still be under way.
    await this.#restarting;
    const { address } = this.#house;
    await this.#house.restart();
    this.#restarts.push((await this.#readLog()).at(-1)?.seq ?? 0);
    this.#watch();
    await this.#house.gateway.deliver(address);
    this.#house.gateway.resume(this.#session.id);
  }

  /** As an update of the program would: the session goes on with a prompt that has other tools. */
  async #changePrompt(without: string): Promise<void> {
    const prompt = await this.#house.frozenPrompt();
    if (prompt === undefined || this.#fullPrompt === undefined) return;
    const tools = this.#fullPrompt.tools.filter(({ name }) => name !== without);
    const next = succeed(prompt, { ...prompt, tools }, 'settings');
    await this.#house.app.store.sessions.freeze(this.#session.id, next);
    await this.#restart();
    await this.#settle();
  }

  #watch(): void {
    this.#house.gateway.watch(this.#house.address, (_turn, event) => {
      this.#notice(event).catch((thrown: unknown) => this.#problems.push(describeError(thrown)));
    });
  }

  /** A wait between two tries is over as soon as it is announced, unless something else is to happen in it. */
  async #notice(event: StepEvent): Promise<void> {
    const seconds = event.type === 'notice' ? / in (\d+) s$/.exec(event.text)?.[1] : undefined;
    if (seconds === undefined) return;
    const act = this.#hasWaited ? 'nothing' : this.#course.inFirstWait;
    this.#hasWaited = true;
    if (act !== 'nothing') await this.#interject(act);
    if (act === 'nothing' || act === 'steer') this.clock.advance(Number(seconds) * 1000);
  }

  async #readLog(): Promise<readonly LoggedEntry[]> {
    const news = await this.#house.app.store.turns.after(this.#session.id, this.#log.at(-1)?.seq ?? 0);
    this.#log.push(...news.filter(({ seq }) => seq > (this.#log.at(-1)?.seq ?? 0)));
    return this.#log;
  }

  /** Gives everything that is said a mark of its own, to be found again in the requests. */
  #mark(text: string): string {
    this.#said += 1;
    return `${text} [said ${this.#said}]`;
  }
}
