import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { HeldLogin, McpLogin, McpLogins } from '../../model/mcp-logins.ts';
import { mcpServerName } from '../../model/mcp-settings.ts';
import { closeToOthers, ensurePrivateFolder } from '../private-folder.ts';
import { readTextFile } from '../read-text-file.ts';
import { takeFileLock } from './file-lock.ts';
import { stampOf } from './file-stamp.ts';
import { writeAtomically } from './write-atomically.ts';

interface Looked {
  readonly stamp: string;
  readonly login: McpLogin | undefined;
}

const secretFields: readonly string[] = ['access_token', 'refresh_token', 'id_token', 'client_secret'];
const mostSecrets = 200;

/** Logins in files of the home, one each, that only their owner can read. A file that cannot be read is no login. */
export class FileMcpLogins implements McpLogins {
  readonly #folder: string;
  readonly #looked = new Map<string, Looked>();
  readonly #working = new Map<string, Promise<unknown>>();
  readonly #secrets = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  stamp(server: string): string {
    return stampOf(this.#fileOf(server));
  }

  read(server: string, url: string): McpLogin | undefined {
    const login = this.#look(server);
    return login?.url === url ? login : undefined;
  }

  async write(server: string, login: HeldLogin): Promise<void> {
    this.#noteSecrets(login);
    await this.#keep(server, login);
  }

  async noteAsked(server: string, url: string, refused?: HeldLogin): Promise<void> {
    const kept = this.#look(server);
    const isOther = kept?.type === 'held' && !(refused !== undefined && isDeepStrictEqual(kept, refused));
    const isNoted = kept?.type === 'asked' && kept.url === url;
    if (!isOther && !isNoted) await this.#keep(server, { type: 'asked', url });
  }

  async remove(server: string): Promise<boolean> {
    const wasThere = this.stamp(server) !== '';
    await rm(this.#fileOf(server), { force: true });
    return wasThere;
  }

  async exclusively<Result>(server: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#working.get(server);
    const mine = this.#afterwards(before, server, work);
    this.#working.set(server, mine);
    return await mine;
  }

  secrets(): readonly string[] {
    return [...this.#secrets];
  }

  async #afterwards<Result>(
    before: Promise<unknown> | undefined,
    server: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    // How it went for the one before is that one's affair.
    await before?.catch(() => undefined);
    ensurePrivateFolder(this.#folder);
    await using _lock = await takeFileLock(`${this.#fileOf(server)}.lock`);
    return await work();
  }

  #look(server: string): McpLogin | undefined {
    const stamp = this.stamp(server);
    const known = this.#looked.get(server);
    const looked = known?.stamp === stamp ? known : { stamp, login: this.#load(server) };
    this.#looked.set(server, looked);
    return looked.login;
  }

  async #keep(server: string, login: McpLogin): Promise<void> {
    ensurePrivateFolder(this.#folder);
    await writeAtomically(this.#fileOf(server), `${JSON.stringify(login, null, 2)}\n`);
  }

  #load(server: string): McpLogin | undefined {
    const file = this.#fileOf(server);
    const login = peekLogin(file);
    if (login === undefined) return undefined;
    closeToOthers(file);
    this.#noteSecrets(login);
    return login;
  }

  #noteSecrets(login: McpLogin): void {
    if (login.type !== 'held') return;
    for (const part of [login.tokens, login.client]) {
      for (const field of secretFields) {
        const value = part[field];
        if (typeof value === 'string') this.#secrets.add(value);
      }
    }
    for (const oldest of [...this.#secrets].slice(0, -mostSecrets)) this.#secrets.delete(oldest);
  }

  #fileOf(server: string): string {
    return loginFile(this.#folder, server);
  }
}

/** The file of a login. Throws for what is no name of a server: it comes from outside. */
export function loginFile(folder: string, server: string): string {
  if (!mcpServerName.test(server)) throw new Error(`${server} is not the name of an MCP server`);
  return join(folder, `${server}.json`);
}

/** What is kept in a file, for one who only looks: nothing is changed. */
export function peekLogin(file: string): McpLogin | undefined {
  const found = readTextFile(file);
  return found.type === 'text' ? readLogin(parseJson(found.text)) : undefined;
}

function readLogin(kept: Json | undefined): McpLogin | undefined {
  if (!isJsonObject(kept)) return undefined;
  const { type, url, client, discovery, tokens, expiresAt } = kept as Readonly<Record<string, Json | undefined>>;
  if (typeof url !== 'string') return undefined;
  if (type === 'asked') return { type, url };
  if (type !== 'held' || !isJsonObject(client) || !isJsonObject(discovery) || !isJsonObject(tokens)) return undefined;
  return { type, url, client, discovery, tokens, expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined };
}
