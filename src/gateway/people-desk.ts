import { join } from 'node:path';
import { describeError } from '../base/errors.ts';
import type { PersonId } from '../base/ids.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Settings } from '../model/settings.ts';
import { allowedPeople } from './access.ts';
import { askControlSocket, openControlSocket } from './control-socket.ts';
import type { ControlHandler } from './control-socket.ts';
import { socketName, writeStatus } from './gateway-status.ts';
import type { GatewayStatus } from './gateway-status.ts';
import { redeemCode } from './pairing.ts';
import type { PairingDeps } from './pairing.ts';

export interface PeopleDeskDeps extends PairingDeps {
  readonly settings: Pick<Settings, 'current'>;
}

/** What the owner can ask about those who have access: let one in, list them, take access back, make an owner. */
export type PeopleRequest =
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'people' }
  | { readonly type: 'revoke'; readonly person: string }
  /** Answered with the code that makes whoever brings it an owner. */
  | { readonly type: 'invite-owner' };

export interface PeopleAnswer {
  readonly ok: boolean;
  readonly text: string;
}

export interface OpenDeskDeps extends PeopleDeskDeps {
  /** What the program says of itself; left out: nothing. */
  readonly status?: () => GatewayStatus;
  readonly report: (line: string) => void;
}

/** Answers while the program runs, to commands of the same user. Without it, say on too long a path, the rest still works. */
export async function openPeopleDesk(folder: string, deps: OpenDeskDeps): Promise<AsyncDisposable | undefined> {
  const answer: ControlHandler = async (json) => {
    if (json['type'] === 'status' && deps.status) return writeStatus(deps.status());
    const request = readRequest(json);
    return request ? { ...(await answerAboutPeople(request, deps)) } : { ok: false, text: 'that is no request' };
  };
  try {
    return await openControlSocket(join(folder, socketName), answer);
  } catch (thrown) {
    deps.report(`nobody can be let in while this runs: ${describeError(thrown)}`);
    return undefined;
  }
}

/** Asks the program that runs; undefined where none does. */
export async function askPeopleDesk(folder: string, request: PeopleRequest): Promise<PeopleAnswer | undefined> {
  const answer = await askControlSocket(join(folder, socketName), { ...request });
  return answer && { ok: answer['ok'] === true, text: asText(answer['text']) };
}

export async function answerAboutPeople(request: PeopleRequest, deps: PeopleDeskDeps): Promise<PeopleAnswer> {
  switch (request.type) {
    case 'pair':
      return await pair(request.code, deps);
    case 'people':
      return await list(deps);
    case 'revoke':
      return await revoke(request.person, deps);
    case 'invite-owner':
      return { ok: true, text: await (await import('./owner-link.ts')).inviteOwner(deps) };
  }
}

function readRequest(json: JsonObject): PeopleRequest | undefined {
  const type = json['type'];
  if (type === 'pair') return { type, code: asText(json['code']) };
  if (type === 'revoke') return { type, person: asText(json['person']) };
  return type === 'people' || type === 'invite-owner' ? { type } : undefined;
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

async function pair(code: string, deps: PeopleDeskDeps): Promise<PeopleAnswer> {
  const person = await redeemCode(code, deps);
  if (person === undefined) return { ok: false, text: 'there is no such code, or it was used, replaced or is too old' };
  return { ok: true, text: `${person} has access now. Take it back with: talaria gateway revoke ${person}` };
}

async function list({ store, settings }: PeopleDeskDeps): Promise<PeopleAnswer> {
  const paired = await store.people.list();
  const lines = [
    ...paired.map(
      ({ person, since, role }) => `${person}  ${role}, let in ${new Date(since).toISOString().slice(0, 10)}`,
    ),
    ...[...allowedPeople(settings.current.config)].map((person) => `${person}  by the settings`),
  ];
  return { ok: true, text: lines.length === 0 ? 'Nobody has access but you, at this terminal.' : lines.join('\n') };
}

async function revoke(person: string, { store, settings }: PeopleDeskDeps): Promise<PeopleAnswer> {
  const wasPaired = await store.people.remove(person as PersonId);
  const stays = allowedPeople(settings.current.config).has(person as PersonId);
  if (stays) return { ok: false, text: `${person} is named in the settings, under telegram.allow: take it out there` };
  return wasPaired
    ? { ok: true, text: `${person} has no access any more.` }
    : { ok: false, text: `${person} was not let in; talaria gateway people lists who was` };
}
