import type { PersonId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Session } from '../model/session.ts';
import type { SettingsState } from '../model/settings.ts';
import type { Signals, Store } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import type { TurnRef } from '../model/turn.ts';
import { allowedPeople, isLetIn, isOwnConversation, isOwnersPlace, localOwner } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { GatewayAgents } from './gateway-agents.ts';
import type { Lanes } from './lanes.ts';

/** Who said what a turn is about. */
export async function whoAdmitted(
  { sessionId, turnId }: TurnRef,
  { turns }: Pick<Store, 'turns'>,
): Promise<PersonId | undefined> {
  const log = await turns.after(sessionId, 0);
  const admitted = log.flatMap(({ turnId: id, entry }) =>
    id === turnId && entry.type === 'turn.admitted' ? [entry.person] : [],
  );
  return admitted[0];
}

/** Whether a turn is of someone whose access was taken back while it waited. */
export async function isShutOut(
  turn: TurnRef,
  { address }: Pick<Session, 'address'>,
  deps: AccessDeps & { readonly store: Pick<Store, 'turns'> },
): Promise<boolean> {
  if (isOwnersPlace(address)) return false;
  // A private chat has the id of the person in it, and what a member has alone that of the member: who they are need not be
  // looked up in the log.
  const whose = address.member ?? (`${address.platform}:${address.chat}` as PersonId);
  if (await isLetIn(whose, deps)) return false;
  const person = await whoAdmitted(turn, deps.store);
  return person !== undefined && !(await isLetIn(person, deps));
}

export interface StopDeps {
  readonly store: Pick<Store, 'turns'>;
  readonly signals: Pick<Signals, 'send'>;
}

/** Stops what someone has running. What waits is stopped when its turn comes. */
export async function stopTurnsOf(person: PersonId, { store, signals }: StopDeps): Promise<void> {
  for (const turn of await store.turns.unsettled()) {
    if ((await whoAdmitted(turn, store)) !== person) continue;
    signals.send(turn.sessionId, { type: 'stop', by: localOwner, turnId: turn.turnId });
  }
}

/** Whether a conversation is one person's alone, who has no access any more. */
export async function isOfStranger(
  { address, person }: Pick<Session, 'address' | 'person'>,
  deps: AccessDeps,
): Promise<boolean> {
  return !isOwnersPlace(address) && isOwnConversation({ address, person }) && !(await isLetIn(person, deps));
}

export interface CloseDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'sessions'>;
  readonly lanes: Pick<Lanes, 'whenIdle'>;
  readonly agents: Pick<GatewayAgents, 'sessions' | 'close'>;
  readonly toolbox: Pick<Toolbox, 'sessionsWithTask'>;
}

/** Ends what the conversations that were someone's alone have running beside their turns: processes, shell and browser. */
export async function closeSessionsOf(person: PersonId, deps: CloseDeps): Promise<void> {
  const { store, lanes, agents, toolbox } = deps;
  for (const sessionId of new Set([...agents.sessions, ...(await toolbox.sessionsWithTask())])) {
    const session = await store.sessions.get(sessionId);
    if (session?.person !== person) continue;
    await lanes.whenIdle(sessionId);
    if (await isOfStranger(session, deps)) await agents.close(sessionId);
  }
}

export interface LostAccessDeps extends AccessDeps {
  /** Ends what someone has running. */
  readonly shutOut: (person: PersonId) => Promise<void>;
  readonly log: Log;
}

/**
 * Whom an edit of the settings shut out, and, for the log, whom it let in. Each is remembered until what they have running
 * was stopped.
 */
export class LostAccess {
  readonly #deps: LostAccessDeps;
  readonly #people = new Set<PersonId>();
  #seen: SettingsState;

  constructor(deps: LostAccessDeps) {
    this.#deps = deps;
    this.#seen = deps.settings.current;
  }

  /** Looks at the settings as they are now. An edit that changed nothing here costs nothing. */
  async stopTurns(): Promise<void> {
    this.#noteChanges();
    for (const person of this.#people) {
      // A code may have let them in as well.
      if (!(await isLetIn(person, this.#deps))) {
        await this.#deps.shutOut(person);
        this.#deps.log.write('info', 'access was taken back', { person, by: 'the settings' });
      }
      this.#people.delete(person);
    }
  }

  #noteChanges(): void {
    const { settings, log } = this.#deps;
    const { current } = settings;
    if (current === this.#seen) return;
    const [before, now] = [allowedPeople(this.#seen.config), allowedPeople(current.config)];
    this.#seen = current;
    for (const person of now.difference(before))
      log.write('info', 'someone was let in', { person, as: 'owner', by: 'the settings' });
    for (const person of before.difference(now)) this.#people.add(person);
  }
}
