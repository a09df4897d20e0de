import type { Clock } from '../../base/clock.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import type { CallName, CallParams, CallResults } from '../../gateway/attach/calls.ts';
import type { GatewayLine, LineEvents, PushedFrame } from './gateway-line.ts';

export interface LinkDeps {
  /** Undefined where no gateway listens. Throws where one does that cannot be attached to. */
  readonly connect: (events: LineEvents) => Promise<GatewayLine | undefined>;
  readonly clock: Clock;
}

/** Who sits at the terminal, as far as the link is concerned. */
export interface LinkUser {
  pushed(frame: PushedFrame): Promise<void>;
  /** The line broke; another one is looked for. */
  cutOff(): Promise<void>;
  /** Another line is there: calls wait until everything is on it as it was on the old one. */
  returned(line: GatewayLine): Promise<void>;
}

// Longer than a gateway may take to end in good order and to start again.
const longestSearchMs = 60_000;
const pauseMs = 250;

/**
 * The way to the gateway. While it has a user it outlives the gateway's restart: calls that were under way are made again
 * on the next line, which is why each of them must be harmless to repeat. Without one, a broken line is the end.
 */
export class GatewayLink {
  readonly #deps: LinkDeps;
  readonly #closing = new AbortController();
  readonly #lost = Promise.withResolvers<never>();
  #user: LinkUser | undefined;
  #line: GatewayLine | undefined;
  #ready: Promise<void> = Promise.resolve();
  #isReachable = true;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    // Whoever minds it asks for it; a command that only looks does not.
    this.#lost.promise.catch(() => undefined);
  }

  /** Rejects when the gateway is gone, and was not found again. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** False from the moment the line breaks until another one is in use. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** The first line; undefined where no gateway listens. */
  async open(): Promise<GatewayLine | undefined> {
    this.#line = await this.#deps.connect(this.#events());
    return this.#line;
  }

  serve(user: LinkUser): void {
    this.#user = user;
  }

  async call<Name extends CallName>(
    name: Name,
    params: CallParams<Name>,
    again: CallParams<Name> = params,
  ): Promise<CallResults[Name]> {
    for (let asked = params; ; asked = again) {
      await this.#ready;
      const line = this.#line as GatewayLine;
      try {
        return await line.call(name, asked);
      } catch (thrown) {
        if (!line.isBroken || this.#user === undefined || this.#closing.signal.aborted) throw thrown;
      }
    }
  }

  close(): void {
    this.#closing.abort();
    this.#line?.close();
  }

  #events(): LineEvents {
    return {
      pushed: async (frame) => await this.#user?.pushed(frame),
      broken: () => this.#takeBreak(),
    };
  }

  #takeBreak(): void {
    const user = this.#user;
    if (user === undefined || this.#closing.signal.aborted) return;
    this.#isReachable = false;
    this.#ready = this.#findAgain(user);
    this.#ready.catch((thrown: unknown) => this.#lost.reject(thrown as Error));
  }

  async #findAgain(user: LinkUser): Promise<void> {
    const { clock } = this.#deps;
    const until = clock.monotonic() + longestSearchMs;
    await user.cutOff();
    for (;;) {
      await clock.sleep(pauseMs, this.#closing.signal);
      if (await this.#isBack(user)) return;
      if (clock.monotonic() >= until)
        throw new AppError('gateway-gone', 'the gateway that served this has ended, and did not come back');
    }
  }

  /** False where the gateway is not there, or goes while everything is put back in place. */
  async #isBack(user: LinkUser): Promise<boolean> {
    let line: GatewayLine | undefined;
    // A line that breaks before it is in use is no new break: this search goes on.
    const broken = (): void => (this.#line === line ? this.#takeBreak() : undefined);
    try {
      line = await this.#deps.connect({ ...this.#events(), broken });
      if (line === undefined) return false;
      await user.returned(line);
      if (line.isBroken) return false;
      this.#line = line;
      this.#isReachable = true;
      return true;
    } catch (thrown) {
      if (isAppError(thrown, 'gateway-gone') || isAppError(thrown, 'gateway-stopping')) return false;
      throw thrown;
    }
  }
}
