import { posix } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import { outcomeToText, textPart } from '../../model/message.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { Risk, ToolContext, ToolPlace } from '../../model/tool.ts';
import type { TaskState } from '../task-state.ts';
import type { CommandAccount } from '../shell/describe-result.ts';
import { findProblem, isBackground } from '../terminal-input.ts';
import type { TerminalInput } from '../terminal-input.ts';
import { isShutdown, loadJudgement } from '../terminal.ts';
import type { LoadedJudgement } from '../terminal.ts';
import { failed } from '../tool-outcomes.ts';
import type { Elsewhere } from './elsewhere.ts';
import { judgeRemote } from './judge-remote.ts';
import { RemoteCalls } from './remote-calls.ts';
import { RemoteLink } from './remote-link.ts';
import type { FollowDeps, RemoteResult } from './run-remotely.ts';

export interface RemoteShellOptions {
  readonly there: Elsewhere;
  /** Why nothing can run there; undefined where it can. */
  readonly problem: string | undefined;
  /** Where the shells of the sessions stand there. */
  readonly state: TaskState;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** What a place says of itself when a session first gets there. */
interface Greeting {
  /** Where the first command runs. */
  readonly start: string;
  readonly home: string;
  readonly path: string;
  readonly epoch: string;
}

const closeMs = 20_000;

/**
 * The shells of the sessions where commands run elsewhere. Folder and exported variables outlive a command; each command
 * is begun at most once, whatever becomes of the connection and of this program.
 */
export class RemoteShell {
  readonly there: Elsewhere;
  readonly #options: RemoteShellOptions;
  readonly #link: RemoteLink;
  readonly #calls: RemoteCalls;
  readonly #greetings = new Map<SessionId, Greeting>();
  #judgement: Promise<LoadedJudgement> | undefined;

  constructor(options: RemoteShellOptions) {
    this.#options = options;
    this.there = options.there;
    this.#link = new RemoteLink(options.there);
    this.#calls = new RemoteCalls(options.state.folder);
  }

  async assess(input: TerminalInput, place: ToolPlace): Promise<Risk> {
    const problem = this.#findProblem(input);
    if (problem !== undefined) return { type: 'forbidden', reason: problem, is: 'mistake' };
    const { sessionId, workdir } = place;
    const { state } = this.#options;
    const greeting = this.#greetings.get(sessionId);
    const path = state.exported(sessionId, 'PATH');
    const around = {
      there: this.there,
      folder: this.#folderOf(input, place),
      home: greeting?.home,
      workdir,
      environment: state.environmentOf(sessionId, {}),
      hasUsualPath: path === undefined || path === greeting?.path,
    };
    return judgeRemote(input.command, around, await (this.#judgement ??= loadJudgement()));
  }

  #findProblem(input: TerminalInput): string | undefined {
    if (isBackground(input)) {
      return `background processes run on this machine only, not on ${this.there.name}: use nohup COMMAND > FILE 2>&1 & echo $! instead, and read FILE later`;
    }
    if (input.outside === true) return `there is no way out of ${this.there.name} from here: leave outside out`;
    return this.#options.problem ?? findProblem(input);
  }

  /** Where a command is to run; undefined where that is the folder of the first one, which is not known yet. */
  #folderOf({ workdir }: TerminalInput, { sessionId }: ToolPlace): string | undefined {
    const { home, start } = this.#greetings.get(sessionId) ?? {};
    const kept = this.#options.state.recordedFolder({ sessionId, workdir: '' });
    const from = kept === '' ? start : kept;
    if (workdir === undefined) return from;
    const path = home === undefined ? workdir : workdir.replace(/^~(?=\/|$)/, home);
    if (posix.isAbsolute(path)) return posix.normalize(path);
    // Before the first command nobody knows from where; whoever is asked is shown it as it is.
    return from === undefined ? path : posix.resolve(from, path);
  }

  async run(input: TerminalInput, context: ToolContext): Promise<ToolOutcome> {
    const problem = this.#findProblem(input);
    if (problem !== undefined) return failed(problem);
    const greeting = await this.#greet(context);
    if (typeof greeting !== 'object') return context.signal.aborted ? { type: 'interrupted' } : failed(greeting);
    const { sessionId, idempotencyKey } = context;
    const isFirst = this.#options.state.recordedFolder({ sessionId, workdir: '' }) === '';
    const key = this.#calls.hold(sessionId, idempotencyKey);
    try {
      const outcome = await this.#runHeld(key, greeting, input, context);
      const notice = `[this ran on ${this.there.name}; ${this.there.note}]`;
      if (!isFirst || outcome.type !== 'done') return outcome;
      return { ...outcome, parts: [textPart(`${outcomeToText(outcome)}\n${notice}`)] };
    } finally {
      this.#calls.letGo(sessionId, key);
    }
  }

  /** What the place says of itself, or why it cannot be reached. Asked once, so that it is known before anything is run. */
  async #greet(context: ToolContext): Promise<Greeting | string> {
    const known = this.#greetings.get(context.sessionId);
    if (known !== undefined) return known;
    this.#calls.open(context.sessionId);
    const deed = await this.#link.perform(
      { name: 'find_folder', words: [this.there.startsIn], place: context },
      context.signal,
    );
    if (deed.type === 'aborted') return 'it was stopped';
    if (deed.type !== 'told') return `${deed.reason}. Nothing was run`;
    const { told, epoch } = deed;
    if (told.type !== 'folder') return `${this.there.name}: ${told.type === 'failed' ? told.reason : 'no answer'}`;
    const greeting = { start: told.folder, home: told.home, path: told.path, epoch };
    this.#greetings.set(context.sessionId, greeting);
    return greeting;
  }

  async #runHeld(key: string, greeting: Greeting, input: TerminalInput, context: ToolContext): Promise<ToolOutcome> {
    const { runRemotely } = await import('./run-remotely.ts');
    const { sessionId } = context;
    const folder = this.#folderOf(input, context) ?? greeting.start;
    const { command } = input;
    const timeoutMs = this.#timeoutMs(input);
    const state = this.#options.state.bytesOf(sessionId) ?? Buffer.alloc(0);
    const settled = this.#calls.settled(sessionId);
    const request = { place: context, key, command, folder, state, timeoutMs, settled };
    const { epoch } = greeting;
    this.#calls.note(sessionId, key, { where: this.there.name, epoch });
    const result = await runRemotely(request, this.#followDeps(context));
    if (result.type === 'told') {
      this.#calls.forget(sessionId, settled);
      this.#greetings.set(sessionId, { ...greeting, epoch: result.epoch });
    }
    const { signal } = context;
    const account = { command, workdir: folder, recorded: folder, timeoutMs, signal };
    return await this.#describe(result, account, sessionId, epoch);
  }

  /** What became of a command that an earlier start of the program had begun. Waits for one that still runs. */
  async recover(input: TerminalInput, context: ToolContext): Promise<ToolOutcome | undefined> {
    const { sessionId, idempotencyKey } = context;
    const key = this.#calls.hold(sessionId, idempotencyKey);
    try {
      const sent = this.#calls.noted(sessionId, key);
      if (sent?.where !== this.there.name || this.#options.problem !== undefined) return undefined;
      const { lookUpRemotely } = await import('./run-remotely.ts');
      const timeoutMs = this.#timeoutMs(input);
      const result = await lookUpRemotely({ place: context, key, timeoutMs }, this.#followDeps(context));
      const folder = this.#options.state.recordedFolder({ sessionId, workdir: '' });
      const { signal } = context;
      const account = { command: input.command, workdir: folder, recorded: folder, timeoutMs, signal };
      return await this.#describe(result, account, sessionId, sent.epoch);
    } finally {
      this.#calls.letGo(sessionId, key);
    }
  }

  #timeoutMs({ timeout }: TerminalInput): number {
    return timeout === undefined ? this.#options.timeoutMs : timeout * 1000;
  }

  #followDeps({ signal, progress }: ToolContext): FollowDeps {
    return { link: this.#link, clock: this.#options.clock, signal, isLeaving: () => isShutdown(signal), progress };
  }

  async #describe(
    result: RemoteResult,
    account: Omit<CommandAccount, 'placeNote'>,
    sessionId: SessionId,
    epoch: string | undefined,
  ): Promise<ToolOutcome> {
    const { describeRemote } = await import('./describe-remote.ts');
    const keep = (left: Buffer): string | undefined => this.#options.state.keep(sessionId, left);
    return await describeRemote(result, { ...account, name: this.there.name, epoch, keep });
  }

  isBusy(sessionId: SessionId): boolean {
    return this.#calls.isBusy(sessionId);
  }

  /** Ends what the session has there. A place that is out of reach keeps it, and nobody waits long for that. */
  async end(sessionId: SessionId): Promise<void> {
    if (this.#options.problem !== undefined || !this.#calls.wasOpened(sessionId)) return;
    this.#greetings.delete(sessionId);
    if ((await this.there.release(sessionId)) === 'stays') {
      const act = { name: 'close', words: [sessionId], place: { sessionId, workdir: '' } } as const;
      await this.#link.perform(act, AbortSignal.timeout(closeMs));
    }
    await this.#options.state.remove(sessionId);
  }

  async close(): Promise<void> {
    await this.there.close();
  }
}
