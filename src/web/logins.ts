import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { WebLogins } from '../model/store.ts';

export interface LoginsDeps {
  readonly webLogins: WebLogins;
  readonly clock: Clock;
  /** What programs show instead of a login. */
  readonly token: string;
}

/** Who asks: a browser by its login, or a program by the token. */
export type Caller = { readonly type: 'browser'; readonly login: string } | { readonly type: 'program' };

const minuteMs = 60_000;
const codeLifeMs = 15 * minuteMs;
const mostCodes = 20;
export const loginLifeMs = 30 * 24 * 60 * minuteMs;

/**
 * Lets in whoever has a code that was handed out at the terminal, once. Codes live as long as the program; of what a
 * browser is given for one, the store keeps a digest.
 */
export class Logins {
  readonly #deps: LoginsDeps;
  readonly #tokenDigest: Buffer;
  /** When each code ends, by its digest; oldest first. */
  readonly #codes = new Map<string, number>();

  constructor(deps: LoginsDeps) {
    this.#deps = deps;
    this.#tokenDigest = sha256(deps.token);
  }

  newCode(): string {
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(digestOf(code), this.#deps.clock.now() + codeLifeMs);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > mostCodes && oldest !== undefined) this.#codes.delete(oldest);
    return code;
  }

  /** Exchanges a code for the secret of a new login; undefined where there is no such code, or it was used or is too old. */
  async redeem(code: string): Promise<string | undefined> {
    const { webLogins, clock } = this.#deps;
    const digest = digestOf(code);
    const expiresAt = this.#codes.get(digest);
    // Taken out before anything is waited for: two at the same moment are one too many.
    this.#codes.delete(digest);
    const since = clock.now();
    if (expiresAt === undefined || expiresAt <= since) return undefined;
    const secret = randomBytes(32).toString('base64url');
    await webLogins.add({ digest: digestOf(secret), since, expiresAt: since + loginLifeMs });
    return secret;
  }

  async ofBrowser(secret: string): Promise<Caller | undefined> {
    const login = digestOf(secret);
    return (await this.#deps.webLogins.has(login, this.#deps.clock.now())) ? { type: 'browser', login } : undefined;
  }

  ofProgram(token: string): Caller | undefined {
    return timingSafeEqual(sha256(token), this.#tokenDigest) ? { type: 'program' } : undefined;
  }

  async end(login: string): Promise<void> {
    await this.#deps.webLogins.remove(login);
  }

  /** Ends every login, and the codes that could make a new one. Says how many there were. */
  async endAll(): Promise<number> {
    this.#codes.clear();
    return await this.#deps.webLogins.removeAll();
  }
}

function digestOf(secret: string): string {
  return sha256(secret).toString('hex');
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
