import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { sleepUnless } from '../../base/sleep-unless.ts';
import type { McpServerSettings } from '../../model/mcp-settings.ts';
import type { ToolServerState } from '../../model/tool-servers.ts';
import type { Connection, RemoteCall, RemoteResult, RemoteTool } from './connection.ts';
import { LoginNeeded } from './login-needed.ts';

export interface McpServerDeps {
  readonly connect: (onTools: (tools: readonly RemoteTool[]) => void, signal: AbortSignal) => Promise<Connection>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told whenever its tools may have changed. */
  readonly onChange: () => void;
  /** Differs whenever the login at it has changed. */
  readonly loginStamp: () => string;
}

type State =
  | { readonly type: 'connecting' }
  | { readonly type: 'connected'; readonly connection: Connection }
  | { readonly type: 'waiting'; readonly problem: string }
  /** Waiting for a person: the login as it was when the server did not let us in. */
  | { readonly type: 'locked-out'; readonly problem: string; readonly loginStamp: string };

const firstPauseMs = 1000;
const longestPauseMs = 60_000;
/** Whoever logs in says so; this is for a server that no longer asks. */
const lockedOutPauseMs = 600_000;
const steadyMs = 60_000;
const pingEveryMs = 180_000;
/** After so many tries in vain its tools go, and calls are answered at once. */
const mostMissed = 3;

/**
 * One server, kept connected for as long as it is wanted. What fails is tried again, ever more slowly and without end; the
 * old process is gone before a new one is started. Its tools stay through a short absence, since each change of the list
 * costs every conversation its cache.
 */
export class McpServer implements AsyncDisposable {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly #deps: McpServerDeps;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #state: State = { type: 'connecting' };
  #tools: readonly RemoteTool[] = [];
  #tried = Promise.withResolvers<void>();
  #hurry = new AbortController();
  #missed = 0;

  constructor(name: string, settings: McpServerSettings, deps: McpServerDeps) {
    this.name = name;
    this.settings = settings;
    this.#deps = deps;
    this.#running = this.#keepConnected();
  }

  get tools(): readonly RemoteTool[] {
    return this.#tools;
  }

  get state(): ToolServerState {
    switch (this.#state.type) {
      case 'connecting':
        return { type: 'connecting' };
      case 'connected':
        return { type: 'connected', tools: this.#tools.length };
      case 'waiting':
        return { type: 'failing', problem: this.#state.problem };
      case 'locked-out':
        return { type: 'needs-login' };
    }
  }

  /** Which login a person is waited for with: another value for each time that one is needed. Undefined where none is. */
  get awaitedLogin(): string | undefined {
    return this.#state.type === 'locked-out' ? this.#state.loginStamp : undefined;
  }

  /** Tries again at once where somebody has logged in since it did not let us in. Says whether it does. */
  retryIfLoggedIn(): boolean {
    const state = this.#state;
    if (state.type !== 'locked-out' || state.loginStamp === this.#deps.loginStamp()) return false;
    this.#hurry.abort();
    return true;
  }

  /** Resolves when the try that is being made, or the next one, has succeeded or failed. */
  whenTried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Calls a tool; what has lost its line gets another try, as long as the server cannot have done anything. */
  async call(call: RemoteCall): Promise<RemoteResult> {
    const first = await this.#callOnce(call);
    return first.type === 'forgotten' ? await this.#callOnce(call) : first;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    if (this.#state.type === 'connected') await this.#state.connection.close();
    await this.#running;
  }

  async #callOnce(call: RemoteCall): Promise<RemoteResult> {
    const connection = await this.#whenConnected(call.signal);
    if (typeof connection === 'string') return { type: 'unreachable', message: connection };
    const result = await connection.call(call);
    if (result.type === 'forgotten') await this.#drop(connection, 'the server has forgotten us');
    if (result.type === 'lost') await this.#drop(connection, result.message);
    if (result.type === 'locked-out') await this.#drop(connection, result.why);
    return result;
  }

  /** The line to it, or why there is none. */
  async #whenConnected(signal: AbortSignal): Promise<Connection | string> {
    if (this.#state.type === 'waiting' && this.#missed < mostMissed) this.#hurry.abort();
    else this.retryIfLoggedIn();
    if (this.#state.type === 'connecting' || this.#hurry.signal.aborted) {
      await Promise.race([this.#tried.promise, whenAborted(signal)]);
      signal.throwIfAborted();
    }
    const state = this.#stateNow();
    if (state.type === 'connected') return state.connection;
    return state.type === 'connecting' ? 'it is not connected yet' : state.problem;
  }

  // A state that was looked at before an await is not believed after it.
  #stateNow(): State {
    return this.#state;
  }

  async #drop(connection: Connection, problem: string | LoginNeeded): Promise<void> {
    // At once, so that nobody else is given a line that is known to be dead.
    if (this.#state.type === 'connected' && this.#state.connection === connection) this.#lose(problem);
    await connection.close();
  }

  #lose(problem: string | LoginNeeded): void {
    this.#state =
      typeof problem === 'string'
        ? { type: 'waiting', problem }
        : { type: 'locked-out', problem: problem.message, loginStamp: problem.loginStamp ?? this.#deps.loginStamp() };
    this.#tried = Promise.withResolvers();
  }

  async #keepConnected(): Promise<void> {
    const { clock, log } = this.#deps;
    let failures = 0;
    while (!this.#ending.signal.aborted) {
      const begun = clock.monotonic();
      this.#hurry = new AbortController();
      const problem = await this.#serveOnce();
      if (this.#ending.signal.aborted) break;
      log.write('warn', `the MCP server ${this.name} is not connected: ${problem}`);
      failures = clock.monotonic() - begun > steadyMs ? 1 : failures + 1;
      const isLockedOut = this.#stateNow().type === 'locked-out';
      const pauseMs = isLockedOut ? lockedOutPauseMs : Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
      // An abort ends the pause, and nothing else.
      await clock.sleep(pauseMs, AbortSignal.any([this.#ending.signal, this.#hurry.signal])).catch(() => undefined);
    }
    this.#tried.resolve();
  }

  /** Connects and stays connected. Resolves with the reason when that is over. */
  async #serveOnce(): Promise<string> {
    this.#state = { type: 'connecting' };
    const connection = await this.#tryToConnect();
    if (typeof connection === 'string') return connection;
    const why = await this.#watch(connection);
    if (this.#stateNow().type === 'connected') this.#lose(why);
    return why;
  }

  async #tryToConnect(): Promise<Connection | string> {
    const { signal } = this.#ending;
    try {
      const connection = await this.#deps.connect((tools) => this.#take(tools), signal);
      this.#missed = 0;
      this.#state = { type: 'connected', connection };
      this.#take(connection.tools);
      this.#tried.resolve();
      if (signal.aborted) await connection.close();
      return connection;
    } catch (thrown) {
      this.#missed += 1;
      const problem = describeError(thrown);
      const tried = this.#tried;
      this.#lose(thrown instanceof LoginNeeded ? thrown : problem);
      if (this.#missed >= mostMissed && this.#tools.length > 0) this.#take([]);
      tried.resolve();
      return problem;
    }
  }

  async #watch(connection: Connection): Promise<string> {
    const over = new AbortController();
    const pings = this.#pingUntil(connection, AbortSignal.any([over.signal, this.#ending.signal]));
    const why = await connection.closed;
    over.abort();
    await pings;
    return why;
  }

  async #pingUntil(connection: Connection, signal: AbortSignal): Promise<void> {
    for (;;) {
      const rest = await sleepUnless(this.#deps.clock, pingEveryMs, signal);
      if (rest === 'stopped') return;
      if (!(await connection.ping())) {
        await connection.close();
        return;
      }
    }
  }

  #take(tools: readonly RemoteTool[]): void {
    this.#tools = tools;
    this.#deps.onChange();
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
