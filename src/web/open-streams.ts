import type { Caller } from './logins.ts';

const mostStreams = 1000;

/** The streams that are open, so that they end with the login that opened them, and with the program. */
export class OpenStreams {
  readonly #streams = new Map<AbortController, string | undefined>();

  /** Undefined where there are too many. */
  open(caller: Caller): AbortController | undefined {
    if (this.#streams.size >= mostStreams) return undefined;
    const stream = new AbortController();
    this.#streams.set(stream, caller.type === 'browser' ? caller.login : undefined);
    return stream;
  }

  close(stream: AbortController): void {
    stream.abort();
    this.#streams.delete(stream);
  }

  /** Ends those of one login. */
  end(login: string): void {
    this.#endWhere((owner) => owner === login);
  }

  endOfBrowsers(): void {
    this.#endWhere((owner) => owner !== undefined);
  }

  endAll(): void {
    this.#endWhere(() => true);
  }

  #endWhere(fits: (owner: string | undefined) => boolean): void {
    for (const [stream, owner] of this.#streams) if (fits(owner)) this.close(stream);
  }
}
