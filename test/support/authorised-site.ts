import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that the server, or whoever gives the logins, was asked. */
export interface SeenAsk {
  readonly at: 'server' | 'issuer';
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly fields: URLSearchParams;
}

export interface SiteOptions {
  /** Clients that are known beforehand, with their secrets; with these nobody can register. */
  readonly clients?: Readonly<Record<string, string>>;
  readonly accessSeconds?: number;
  /** What the tool demands; a login gets what it asks for. */
  readonly scopeOfTool?: string;
  /** What whoever is asked for consent answers. */
  readonly consent?: 'yes' | 'no';
}

interface Grant {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly scope: string;
}

interface Family {
  readonly client: string;
  readonly scope: string;
  access: string;
  refresh: string;
  expiresAt: number;
  isRevoked: boolean;
}

/**
 * An MCP server that lets nobody in without a login, and whoever gives the logins, at another origin. Strict where a careless
 * client would be found out: PKCE, the redirect, the resource, single use of codes, and renewal tokens that are spent when used: one
 * that is used twice ends the login.
 */
export class AuthorisedSite implements AsyncDisposable {
  readonly asks: SeenAsk[] = [];
  readonly #options: SiteOptions;
  readonly #server: Server;
  readonly #issuer: Server;
  readonly #clients = new Map<string, { readonly secret: string | undefined; readonly redirects: readonly string[] }>();
  readonly #codes = new Map<string, Grant>();
  readonly #families: Family[] = [];
  readonly #spent = new Map<string, Family>();
  #lateMs = 0;

  constructor(options: SiteOptions) {
    this.#options = options;
    for (const [id, secret] of Object.entries(options.clients ?? {})) this.#clients.set(id, { secret, redirects: [] });
    const serve = (at: SeenAsk['at']): Server =>
      createServer((request, response) => {
        void this.#serve(at, request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
      });
    this.#server = serve('server');
    this.#issuer = serve('issuer');
  }

  static async open(options: SiteOptions = {}): Promise<AuthorisedSite> {
    const site = new AuthorisedSite(options);
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    await once(site.#issuer.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  get url(): string {
    return `${originOf(this.#server)}/mcp`;
  }

  get issuer(): string {
    return originOf(this.#issuer);
  }

  /** Everything that logs someone in, and must not be found anywhere else. */
  get secrets(): readonly string[] {
    return this.#families.flatMap(({ access, refresh }) => [access, refresh]);
  }

  /** How often tokens were asked for, by kind. */
  countOf(grant: string): number {
    return this.asks.filter(({ path, fields }) => path === '/token' && fields.get('grant_type') === grant).length;
  }

  /** So much later for this site: its access tokens are old. */
  passTime(ms: number): void {
    this.#lateMs += ms;
  }

  /** Every login is over, and none can be renewed. */
  revoke(): void {
    for (const family of this.#families) family.isRevoked = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const http of [this.#server, this.#issuer]) {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  }

  async #serve(at: SeenAsk['at'], request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(request.url ?? '', this.issuer);
    const body = (await request.toArray()).join('');
    this.asks.push({ at, path, headers: request.headers, fields: new URLSearchParams(body) });
    switch (`${at} ${path}`) {
      case 'server /mcp':
        return this.#serveMcp(request, body, response);
      case 'server /.well-known/oauth-protected-resource/mcp':
        return reply(response, 200, { resource: this.url, authorization_servers: [this.issuer] });
      case 'issuer /.well-known/oauth-authorization-server':
        return reply(response, 200, this.#metadata());
      case 'issuer /register':
        return this.#register(body, response);
      case 'issuer /authorize':
        return this.#authorise(searchParams, response);
      case 'issuer /token':
        return this.#giveTokens(request, new URLSearchParams(body), response);
      default:
        return reply(response, 404, {});
    }
  }

  #metadata(): object {
    const canRegister = this.#options.clients === undefined;
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      ...(canRegister && { registration_endpoint: `${this.issuer}/register` }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register(body: string, response: ServerResponse): void {
    const wished = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
    const id = `client-${randomUUID()}`;
    this.#clients.set(id, { secret: undefined, redirects: wished.redirect_uris });
    reply(response, 201, { ...wished, client_id: id, token_endpoint_auth_method: 'none' });
  }

  #authorise(asked: URLSearchParams, response: ServerResponse): void {
    const client = asked.get('client_id') ?? '';
    const redirect = asked.get('redirect_uri') ?? '';
    const known = this.#clients.get(client);
    const isKnownRedirect = known?.redirects.length === 0 || known?.redirects.includes(redirect) === true;
    const challenge = asked.get('code_challenge') ?? '';
    const isSound =
      asked.get('response_type') === 'code' &&
      asked.get('code_challenge_method') === 'S256' &&
      challenge !== '' &&
      asked.get('resource') === this.url;
    if (known === undefined || !isKnownRedirect || !isSound) return reply(response, 400, { error: 'invalid_request' });
    const back = new URL(redirect);
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', this.issuer);
    if (this.#options.consent === 'no') {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'Not today.');
    } else {
      const code = `code-${randomUUID()}`;
      this.#codes.set(code, { client, redirect, challenge, scope: asked.get('scope') ?? '' });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  #giveTokens(request: IncomingMessage, fields: URLSearchParams, response: ServerResponse): void {
    const client = this.#authenticate(request, fields);
    if (client === undefined) return reply(response, 401, { error: 'invalid_client' });
    if (fields.get('resource') !== this.url) return reply(response, 400, { error: 'invalid_target' });
    const family =
      fields.get('grant_type') === 'refresh_token' ? this.#renew(client, fields) : this.#redeem(client, fields);
    if (family === undefined) return reply(response, 400, { error: 'invalid_grant' });
    reply(response, 200, {
      access_token: family.access,
      token_type: 'Bearer',
      expires_in: this.#options.accessSeconds ?? 3600,
      refresh_token: family.refresh,
      scope: family.scope,
    });
  }

  #authenticate({ headers }: IncomingMessage, fields: URLSearchParams): string | undefined {
    const [, basic = ''] = /^Basic (.*)$/.exec(headers.authorization ?? '') ?? [];
    const [id = '', secret] = basic === '' ? [fields.get('client_id') ?? ''] : atob(basic).split(':');
    const known = this.#clients.get(id);
    return known !== undefined && known.secret === secret ? id : undefined;
  }

  #redeem(client: string, fields: URLSearchParams): Family | undefined {
    const code = fields.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const proof = hash('sha256', fields.get('code_verifier') ?? '', 'base64url');
    const isSound = grant?.client === client && grant.redirect === fields.get('redirect_uri');
    if (grant === undefined || !isSound || grant.challenge !== proof) return undefined;
    const family: Family = { client, scope: grant.scope, access: '', refresh: '', expiresAt: 0, isRevoked: false };
    this.#families.push(family);
    return this.#freshen(family);
  }

  #renew(client: string, fields: URLSearchParams): Family | undefined {
    const token = fields.get('refresh_token') ?? '';
    const spent = this.#spent.get(token);
    if (spent !== undefined) spent.isRevoked = true;
    const family = this.#families.find((each) => each.refresh === token && each.client === client);
    if (family === undefined || family.isRevoked) return undefined;
    this.#spent.set(token, family);
    return this.#freshen(family);
  }

  #freshen(family: Family): Family {
    const seconds = this.#options.accessSeconds ?? 3600;
    return Object.assign(family, {
      access: `access-${randomUUID()}`,
      refresh: `renewal-${randomUUID()}`,
      expiresAt: this.#now() + seconds * 1000,
    });
  }

  #serveMcp(request: IncomingMessage, body: string, response: ServerResponse): void {
    const [, token = ''] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    const family = this.#families.find((each) => each.access === token);
    if (family === undefined || family.isRevoked || family.expiresAt < this.#now()) {
      const where = `${originOf(this.#server)}/.well-known/oauth-protected-resource/mcp`;
      return reply(
        response,
        401,
        {},
        { 'www-authenticate': `Bearer resource_metadata="${where}", scope="tides:read"` },
      );
    }
    if (body === '') return reply(response, 405, {});
    const asked = JSON.parse(body) as Asked;
    const { scopeOfTool } = this.#options;
    const isCovered = scopeOfTool === undefined || family.scope.split(' ').includes(scopeOfTool);
    if (asked.method === 'tools/call' && !isCovered) {
      const challenge = `Bearer error="insufficient_scope", scope="${scopeOfTool}"`;
      return reply(response, 403, {}, { 'www-authenticate': challenge });
    }
    answerMcp(asked, response);
  }

  #now(): number {
    return Date.now() + this.#lateMs;
  }
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

function answerMcp({ id, method, params }: Asked, response: ServerResponse): void {
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'tides', version: '1' },
    },
    'tools/list': { tools: [{ name: 'high_water', description: 'When it is.', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'at noon' }] },
  };
  reply(response, 200, { jsonrpc: '2.0', id, result: results[method] ?? {} });
}

function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
