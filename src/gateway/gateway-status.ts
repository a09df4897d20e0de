import { join } from 'node:path';
import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { NamedState } from '../model/channel-state.ts';
import { askControlSocket } from './control-socket.ts';
import type { Restart } from './restart.ts';

/** Who brings the program back when it ends: a service manager, the program itself (`background`), or nobody. */
export type Keeper = 'systemd' | 'launchd' | 'background' | 'nobody';

/** What the program knows about where it runs. */
export interface GatewayHost {
  readonly version: string;
  readonly keeper: Keeper;
  readonly restart: Restart;
  /** Whoever keeps it kills it where turns get longer than this to end. */
  readonly longestDrainMs?: number;
}

/** What a running gateway says of itself. */
export interface GatewayStatus {
  readonly pid: number;
  readonly since: string;
  readonly version: string;
  readonly keeper: Keeper;
  readonly state: 'serving' | 'stopping';
  /** Those that are set up, whether they can be used now or not. */
  readonly channels: readonly string[];
  readonly channelStates: readonly NamedState[];
  readonly model: string;
  /** Where the page is, where it is served. */
  readonly page?: string;
  /** Why it is at another port than people expect. */
  readonly pageNote?: string;
  /** How many sessions have something running. */
  readonly atWork: number;
  readonly start: 'usual' | 'safe';
}

export const socketName = 'gateway.sock';

/** Asks the gateway that runs on this home; undefined where none does. Throws where it does not answer. */
export async function askStatus(folder: string): Promise<GatewayStatus | undefined> {
  const answer = await askControlSocket(join(folder, socketName), { type: 'status' });
  return answer && readStatus(answer['status']);
}

export function writeStatus(status: GatewayStatus): JsonObject {
  const channelStates = status.channelStates.map((state) => ({ ...state }));
  return { ok: true, status: { ...status, channelStates } };
}

const keepers: ReadonlySet<Json> = new Set<Json>(['systemd', 'launchd', 'background', 'nobody']);

/** What another version left out or knows more of is filled in or passed over. */
function readStatus(json: Json | undefined): GatewayStatus | undefined {
  if (!isJsonObject(json) || typeof json['pid'] !== 'number') return undefined;
  const {
    pid,
    since,
    version,
    keeper = null,
    state,
    channels,
    channelStates,
    model,
    page,
    pageNote,
    atWork,
    start,
  } = json;
  const names = Array.isArray(channels) ? channels.map((channel: Json) => asText(channel)) : [];
  return {
    pid,
    since: asText(since),
    version: asText(version),
    keeper: keepers.has(keeper) ? (keeper as Keeper) : 'nobody',
    state: state === 'stopping' ? state : 'serving',
    channels: names,
    channelStates: readStates(channelStates) ?? names.map((name) => ({ name, type: 'served' })),
    model: asText(model),
    ...(typeof page === 'string' && { page }),
    ...(typeof pageNote === 'string' && { pageNote }),
    atWork: typeof atWork === 'number' ? atWork : 0,
    start: start === 'safe' ? start : 'usual',
  };
}

function readStates(json: Json | undefined): readonly NamedState[] | undefined {
  if (!Array.isArray(json)) return undefined;
  return json.filter(isJsonObject).map(({ name, type, reason }): NamedState => {
    const named = { name: asText(name) };
    if (type === 'served' || type === 'connecting') return { ...named, type };
    return { ...named, type: type === 'retrying' ? type : 'not-served', reason: asText(reason) };
  });
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
