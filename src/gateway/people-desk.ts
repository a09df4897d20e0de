import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describeError } from '../base/errors.ts';
import type { PersonId } from '../base/ids.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Settings } from '../model/settings.ts';
import type { Store, StoreTx } from '../model/store.ts';
import { allowedPeople } from './access.ts';
import { askControlSocket, openControlSocket } from './control-socket.ts';
import type { ControlHandler } from './control-socket.ts';
import { socketName, writeStatus } from './gateway-status.ts';
import type { GatewayStatus } from './gateway-status.ts';
import { redeemCode } from './pairing.ts';
import type { PairingDeps } from './pairing.ts';
import { withName } from './whose-session.ts';

/** The page in the browser, where it is served. */
export interface WebDoor {
  newLink(): string;
  logOutAll(): Promise<number>;
}

export interface PeopleDeskDeps extends PairingDeps {
  readonly store: Pick<Store, 'transaction' | 'people' | 'webLogins'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly web: WebDoor | undefined;
  readonly log: Log;
  /** Ends what someone has running; left out where nothing runs. */
  readonly shutOut?: (person: PersonId) => Promise<void>;
  /** Left out where people are told nothing. */
  readonly word?: WordForPeople;
  /** Sends someone what was left for them; left out where nothing runs, so that the next start does. */
  readonly deliverTo?: (person: PersonId) => void;
}

/** What people are told as soon as their chat can be reached. */
export interface WordForPeople {
  /** Together with whatever else the transaction does. Someone who cannot be reached is left out. */
  leave(person: PersonId, text: string, tx: StoreTx): Promise<void>;
  /** For what is not so any more, and was not told yet. */
  takeBack(person: PersonId, text: string): Promise<void>;
}

/**
 * What the owner can ask about those who have access: let one in, list them, take access back, make an owner; let in a
 * browser, and end what every browser has.
 */
export type DeskRequest =
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'people' }
  /** Without `sure`, the last owner keeps access, and the answer asks whether it is meant. */
  | { readonly type: 'revoke'; readonly person: string; readonly sure?: 'yes' }
  /** Answered with the code that makes whoever brings it an owner. */
  | { readonly type: 'invite-owner' }
  | { readonly type: 'link' }
  | { readonly type: 'logout' };

export interface DeskAnswer {
  readonly ok: boolean;
  readonly text: string;
  /** Set where nothing was done yet, and the same request is carried out once whoever made it is sure. */
  readonly asks?: 'whether-sure';
}

export interface OpenDeskDeps extends PeopleDeskDeps {
  /** What the program says of itself; left out: nothing. */
  readonly status?: () => Promise<GatewayStatus>;
  /** Takes over the connection of a terminal that says hello. Absent where none can attach. */
  readonly attach?: (hello: JsonObject, connection: Socket) => Promise<void>;
  readonly report: (line: string) => void;
}

/** Answers while the program runs, to commands of the same user. Where it cannot listen, the rest still works. */
export async function openPeopleDesk(folder: string, deps: OpenDeskDeps): Promise<AsyncDisposable | undefined> {
  const answer: ControlHandler = async (json, connection) => {
    if (json['type'] === 'hello' && deps.attach !== undefined) {
      await deps.attach(json, connection);
      return undefined;
    }
    if (json['type'] === 'status' && deps.status) return writeStatus(await deps.status());
    const request = readRequest(json);
    return request ? { ...(await answerAtDesk(request, deps)) } : { ok: false, text: 'that is no request' };
  };
  try {
    return await openControlSocket(join(folder, socketName), answer);
  } catch (thrown) {
    deps.report(`nobody can be let in while this runs, and no terminal can attach: ${describeError(thrown)}`);
    return undefined;
  }
}

/** Asks the program that runs; undefined where none does. */
export async function askPeopleDesk(folder: string, request: DeskRequest): Promise<DeskAnswer | undefined> {
  const answer = await askControlSocket(join(folder, socketName), { ...request });
  const asks = answer?.['asks'] === 'whether-sure' ? ({ asks: 'whether-sure' } as const) : {};
  return answer && { ok: answer['ok'] === true, text: asText(answer['text']), ...asks };
}

export async function answerAtDesk(request: DeskRequest, deps: PeopleDeskDeps): Promise<DeskAnswer> {
  switch (request.type) {
    case 'pair':
      return await pair(request.code, deps);
    case 'people':
      return await list(deps);
    case 'revoke':
      return await revoke(request, deps);
    case 'invite-owner':
      return { ok: true, text: await (await import('./owner-link.ts')).inviteOwner(deps) };
    case 'link':
      return makeLink(deps);
    case 'logout':
      return await logOut(deps);
  }
}

function readRequest(json: JsonObject): DeskRequest | undefined {
  const type = json['type'];
  if (type === 'pair') return { type, code: asText(json['code']) };
  if (type === 'revoke')
    return { type, person: asText(json['person']), ...(json['sure'] === 'yes' && { sure: 'yes' }) };
  const isPlain = type === 'people' || type === 'invite-owner' || type === 'link' || type === 'logout';
  return isPlain ? { type } : undefined;
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

async function pair(code: string, deps: PeopleDeskDeps): Promise<DeskAnswer> {
  const { store, clock, word } = deps;
  const person = await store.transaction(async (tx) => {
    const letInNow = await redeemCode(code, { store: tx, clock });
    if (letInNow !== undefined) await word?.leave(letInNow, letIn, tx);
    return letInNow;
  });
  if (person === undefined) return { ok: false, text: 'there is no such code, or it was used, replaced or is too old' };
  deps.log.write('info', 'someone was let in', { person, as: 'guest', by: 'a code' });
  deps.deliverTo?.(person);
  const name = (await store.people.list()).find((each) => each.person === person)?.name;
  return {
    ok: true,
    text: `${withName(person, name)} has access now. Take it back with: talaria gateway revoke ${person}`,
  };
}

const letIn = 'You have access to this assistant now. Say what you need; /help lists the commands.';

async function list({ store, settings }: PeopleDeskDeps): Promise<DeskAnswer> {
  const paired = await store.people.list();
  const lines = [
    ...paired.map(({ person, since, role, name = '' }) =>
      `${person}  ${role}, let in ${new Date(since).toISOString().slice(0, 10)}  ${name}`.trimEnd(),
    ),
    ...[...allowedPeople(settings.current.config)].map((person) => `${person}  by the settings`),
  ];
  return { ok: true, text: lines.length === 0 ? 'Nobody has access but you, at this terminal.' : lines.join('\n') };
}

type Revocation = Extract<DeskRequest, { readonly type: 'revoke' }>;

async function revoke({ person, sure }: Revocation, deps: PeopleDeskDeps): Promise<DeskAnswer> {
  const { store, settings, shutOut, word } = deps;
  const isLast = await isLastOwner(person, deps);
  if (isLast && sure === undefined)
    return { ok: false, text: `${person} is the last who owns the bot`, asks: 'whether-sure' };
  const wasPaired = await store.people.remove(person as PersonId);
  const stays = allowedPeople(settings.current.config).has(person as PersonId);
  if (stays) return { ok: false, text: `${person} is named in the settings, under telegram.allow: take it out there` };
  if (wasPaired) deps.log.write('info', 'access was taken back', { person, by: 'gateway revoke' });
  if (wasPaired) await shutOut?.(person as PersonId);
  await word?.takeBack(person as PersonId, letIn);
  return wasPaired
    ? { ok: true, text: `${person} has no access any more.${isLast ? ` ${noOwnerLeft}` : ''}` }
    : { ok: false, text: `${person} was not let in; talaria gateway people lists who was` };
}

const noOwnerLeft = 'Nobody is left there who owns the bot: talaria gateway setup makes a link for another owner.';

/** Those whom the settings name are owners, too. */
async function isLastOwner(person: string, { store, settings }: PeopleDeskDeps): Promise<boolean> {
  const owners = (await store.people.list()).filter(({ role }) => role === 'owner');
  const isOnly = owners.length === 1 && owners[0]?.person === person;
  return isOnly && allowedPeople(settings.current.config).size === 0;
}

function makeLink({ web, settings }: PeopleDeskDeps): DeskAnswer {
  if (web !== undefined) return { ok: true, text: web.newLink() };
  const { isEnabled } = settings.current.config.web;
  const reason = isEnabled
    ? 'no gateway runs here; start one with: talaria gateway'
    : 'the settings switch the page off';
  return { ok: false, text: `there is no page to link to: ${reason}` };
}

async function logOut({ web, store }: PeopleDeskDeps): Promise<DeskAnswer> {
  const count = await (web ? web.logOutAll() : store.webLogins.removeAll());
  return { ok: true, text: count === 1 ? 'One browser is logged out.' : `${count} browsers are logged out.` };
}
