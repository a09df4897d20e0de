import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import type { ToolPlace } from '../../model/tool.ts';
import { ProgressLines } from '../shell/progress-lines.ts';
import { openLeft, wrapCommand } from '../shell/shell-script.ts';
import type { Act, Deed, RemoteLink } from './remote-link.ts';
import type { Told } from './told.ts';

export interface RemoteCommand {
  readonly place: ToolPlace;
  /** Names the call among those of its session. */
  readonly key: string;
  readonly command: string;
  /** Where it runs; it is known to have been there. */
  readonly folder: string;
  /** What the last command left for this one. */
  readonly state: Buffer;
  readonly timeoutMs: number;
  /** The calls whose records there are no longer needed. */
  readonly settled: readonly string[];
}

export interface FollowDeps {
  readonly link: RemoteLink;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether an abort leaves the command to run on, for a later start of the program to look up. */
  readonly isLeaving: () => boolean;
  readonly progress: (text: string) => void;
}

export type RemoteResult =
  | { readonly type: 'told'; readonly told: Told; readonly epoch: string }
  /** It was ended by us: of what it left, this is known. */
  | { readonly type: 'timed-out' | 'stopped'; readonly told: Told | undefined }
  | { readonly type: 'left' }
  | { readonly type: 'unreached'; readonly reason: string }
  /** It was begun, as far as is known, and nothing more can be found out. */
  | { readonly type: 'out-of-sight'; readonly reason: string };

// Ours comes first; theirs is for the time when we are gone.
const slackSeconds = 2;
const lastWordsMs = 3000;
const endMs = 10_000;
const longestPauseMs = 5000;
const triesToLookUp = 3;
// What sshd and container engines set. What the last command unset among it must not come back.
const given: readonly string[] = [
  'HOME',
  'LANG',
  'LOGNAME',
  'MAIL',
  'PATH',
  'SHELL',
  'TALARIA_REMOTE_SESSION',
  'TERM',
  'USER',
];

/** Runs one command elsewhere, once, to its end, its time limit or an abort. A connection that breaks is made again. */
export async function runRemotely(command: RemoteCommand, deps: FollowDeps): Promise<RemoteResult> {
  const { place, key, timeoutMs, folder } = command;
  const wrapper = wrapCommand({ folder, before: openLeft('./state'), stateFiles: ['./before'], given });
  const limit = String(Math.ceil(timeoutMs / 1000) + slackSeconds);
  const { sessionId } = place;
  const words = [sessionId, key, limit, folder, command.command, wrapper, command.state, command.settled.join(' ')];
  return await attend({ name: 'start', words, place }, { key, timeoutMs, tries: Infinity }, deps);
}

/** What became of a command that an earlier start of the program had begun. Waits for one that still runs. */
export async function lookUpRemotely(
  { place, key, timeoutMs }: Pick<RemoteCommand, 'place' | 'key' | 'timeoutMs'>,
  deps: FollowDeps,
): Promise<RemoteResult> {
  const act: Act = { name: 'look_up', words: [place.sessionId, key], place };
  return await attend(act, { key, timeoutMs, tries: triesToLookUp }, deps);
}

interface Attendance {
  readonly key: string;
  readonly timeoutMs: number;
  /** How often it is tried to get there again. */
  readonly tries: number;
}

async function attend(first: Act, { key, timeoutMs, tries }: Attendance, deps: FollowDeps): Promise<RemoteResult> {
  const over = new AbortController();
  const gone = new AbortController();
  const lines = new ProgressLines(deps.progress, deps.clock);
  const followed = follow(first, { key, tries, lines, signal: gone.signal }, deps);
  const beat = lines.beat(over.signal);
  try {
    const early = await Promise.race([
      followed,
      whenTimeIsOver(timeoutMs, over.signal, deps),
      whenStopped(deps, over.signal),
    ]);
    if (early.type !== 'timed-out' && early.type !== 'stopped') return early;
    return await end(early.type, first, followed, deps.link);
  } finally {
    over.abort('over');
    gone.abort('over');
    await beat;
  }
}

async function whenTimeIsOver(ms: number, signal: AbortSignal, { clock }: FollowDeps): Promise<RemoteResult> {
  await clock.sleep(ms, signal).catch(() => undefined);
  return { type: 'timed-out', told: undefined };
}

async function whenStopped(deps: FollowDeps, over: AbortSignal): Promise<RemoteResult> {
  const { signal } = deps;
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true, signal: over }));
  }
  return deps.isLeaving() ? { type: 'left' } : { type: 'stopped', told: undefined };
}

interface Following {
  readonly key: string;
  readonly tries: number;
  readonly lines: ProgressLines;
  readonly signal: AbortSignal;
}

/** Has it begun, and looks it up again after each break. */
async function follow(first: Act, { key, tries, lines, signal }: Following, deps: FollowDeps): Promise<RemoteResult> {
  const show = (line: Buffer): void => lines.saw(line);
  const { place } = first;
  let act: Act = { ...first, show };
  for (let failures = 0; ;) {
    const deed: Deed = await deps.link.perform(act, signal);
    if (deed.type === 'told') return deed;
    if (deed.type === 'aborted') return { type: 'left' };
    if (act.name === 'start' && deed.type === 'unreached') return deed;
    act = { name: 'look_up', words: [place.sessionId, key], place, show };
    failures += 1;
    if (failures >= tries) return { type: 'out-of-sight', reason: deed.reason };
    deps.progress(`${deps.link.there.name} is out of reach; trying again`);
    await systemClock.sleep(Math.min(longestPauseMs, 250 * 2 ** failures), signal).catch(() => undefined);
  }
}

/** Ends all of the command, and takes what it left, if that comes within a moment. */
async function end(
  type: 'timed-out' | 'stopped',
  { place, words }: Act,
  followed: Promise<RemoteResult>,
  link: RemoteLink,
): Promise<RemoteResult> {
  const deed = await link.perform({ name: 'end', words: words.slice(0, 2), place }, AbortSignal.timeout(endMs));
  if (deed.type !== 'told') {
    const reason = deed.type === 'aborted' ? `${link.there.name} did not answer` : deed.reason;
    return { type: 'out-of-sight', reason: `it could not be ended: ${reason}` };
  }
  const over = new AbortController();
  const late = systemClock.sleep(lastWordsMs, over.signal).catch(() => undefined);
  const last = (await Promise.race([followed, late])) ?? undefined;
  over.abort('over');
  return { type, told: last?.type === 'told' ? last.told : undefined };
}
