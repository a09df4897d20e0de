import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client';
import type { AuthProvider, FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import type { Clock } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { HeldLogin, McpLogins } from '../../../model/mcp-logins.ts';
import type { HttpPlace } from '../../../model/mcp-settings.ts';
import { LoginNeeded } from '../login-needed.ts';
import { configuredClient, expiryOf, readClient, readDiscovery, readTokens } from './login-parts.ts';
import { withDeadline } from './with-deadline.ts';

export interface KeptLoginDeps {
  readonly logins: McpLogins;
  readonly secret: (name: string) => string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly fetch: FetchLike;
}

const renewAheadMs = 30_000;

/**
 * The login that is kept for a server, for a program that nobody sits in front of: it is read anew for every request, renewed
 * before it runs out and when the server refuses it, and never asked of anyone.
 */
export class KeptLogin implements AuthProvider {
  readonly #server: string;
  readonly #place: HttpPlace;
  readonly #deps: KeptLoginDeps;
  #sent: string | undefined;

  constructor(server: string, place: HttpPlace, deps: KeptLoginDeps) {
    this.#server = server;
    this.#place = place;
    this.#deps = deps;
  }

  async token(): Promise<string | undefined> {
    const held = this.#held();
    if (held === undefined) return undefined;
    // One that cannot be renewed may still be good: the server says so.
    const login = this.#isRunningOut(held) ? await this.#renew(held).catch(() => held) : held;
    this.#sent = readTokens(login).access_token;
    return this.#sent;
  }

  async onUnauthorized(): Promise<void> {
    const held = this.#held();
    if (held === undefined) throw await this.#deps.logins.exclusively(this.#server, () => this.#lockOut());
    // Another request, or another process, has renewed it by now.
    if (readTokens(held).access_token !== this.#sent) return;
    await this.#renew(held);
  }

  #held(): HeldLogin | undefined {
    const login = this.#deps.logins.read(this.#server, this.#place.url);
    return login?.type === 'held' ? login : undefined;
  }

  #isRunningOut(held: HeldLogin): boolean {
    const { expiresAt = Infinity } = held;
    return readTokens(held).refresh_token !== undefined && this.#deps.clock.now() > expiresAt - renewAheadMs;
  }

  async #renew(seen: HeldLogin): Promise<HeldLogin> {
    return await this.#deps.logins.exclusively(this.#server, async () => {
      const held = this.#held();
      if (held === undefined) throw await this.#lockOut();
      if (readTokens(held).access_token !== readTokens(seen).access_token) return held;
      const tokens = await this.#askForTokens(held);
      const renewed: HeldLogin = {
        ...held,
        tokens: { ...held.tokens, ...tokens } as unknown as JsonObject,
        expiresAt: expiryOf(tokens, this.#deps.clock.now()),
      };
      await this.#deps.logins.write(this.#server, renewed);
      return renewed;
    });
  }

  async #askForTokens(held: HeldLogin): Promise<OAuthTokens> {
    const { refresh_token: refreshToken } = readTokens(held);
    if (refreshToken === undefined) throw await this.#lockOut(held);
    const discovery = readDiscovery(held);
    const { authorizationServerMetadata: metadata, resourceMetadata } = discovery;
    try {
      return await refreshAuthorization(discovery.authorizationServerUrl, {
        clientInformation: configuredClient(this.#place.oauth, this.#deps.secret) ?? readClient(held),
        refreshToken,
        fetchFn: withDeadline(this.#deps.fetch),
        ...(metadata && { metadata }),
        ...(resourceMetadata && { resource: resourceMetadata.resource }),
      });
    } catch (thrown) {
      throw isFinal(thrown) ? await this.#lockOut(held, thrown) : thrown;
    }
  }

  /** That a login is needed is kept, so that whoever lists the servers can say so. Only while no one else changes it. */
  async #lockOut(refused?: HeldLogin, cause?: unknown): Promise<LoginNeeded> {
    const { logins } = this.#deps;
    await logins.noteAsked(this.#server, this.#place.url, refused);
    return new LoginNeeded(this.#server, logins.stamp(this.#server), { cause });
  }
}

/** Whether the login is worth nothing any more; anything else may be different the next time. */
function isFinal(thrown: unknown): boolean {
  if (!(thrown instanceof OAuthError)) return false;
  const final: readonly string[] = [
    OAuthErrorCode.InvalidGrant,
    OAuthErrorCode.InvalidClient,
    OAuthErrorCode.UnauthorizedClient,
  ];
  return final.includes(thrown.code);
}
