import type { Clock } from '../base/clock.ts';
import type { PersonId, SessionId } from '../base/ids.ts';
import { sharedPlace } from '../model/session.ts';
import type { Letter, Postbox, Recipient } from '../model/postbox.ts';
import type { Address, Session } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { Store } from '../model/store.ts';
import { isOwner, isPrivate } from './access.ts';

export interface PostboxDeps {
  readonly store: Store;
  readonly settings: Pick<Settings, 'current'>;
  readonly clock: Clock;
}

const letterLifeMs = 24 * 60 * 60 * 1000;
const mostSessions = 500;

/** Posts through the outbox. That a letter was posted is noted in the same transaction, so that a second try finds it. */
export class OutboxPostbox implements Postbox {
  readonly #deps: PostboxDeps;
  readonly #listeners = new Set<(address: Address) => void>();

  constructor(deps: PostboxDeps) {
    this.#deps = deps;
  }

  /** Tells whoever sends that there is something for an address. */
  onPosted(listener: (address: Address) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async find(to: string | undefined, from: SessionId): Promise<Recipient | undefined> {
    const here = await this.#deps.store.sessions.get(from);
    if (here === undefined) return undefined;
    const own = recipientAt(here.address);
    if (to === undefined || to === own.name) return own;
    const { homes, sessions } = await this.#known();
    const places = to === 'home' ? homes : [...homes, ...sessions];
    // A letter is for the chat, whoever talks there, and is kept with nobody's conversation but the sender's.
    const recipients = places.map(({ address }) => recipientAt(sharedPlace(address)));
    return to === 'home' ? recipients[0] : recipients.find(({ name }) => name === to);
  }

  async reach(from: SessionId, person: PersonId): Promise<readonly Recipient[]> {
    const { store } = this.#deps;
    const here = await store.sessions.get(from);
    if (here === undefined) return [];
    const { homes, sessions } = await this.#known();
    const mayWriteHome = await isOwner({ address: here.address, person }, this.#deps);
    const places = [
      here.address,
      ...homes.filter((home) => mayWriteHome || home.person === person).map(({ address }) => sharedPlace(address)),
      ...sessions.filter((session) => isOwn(session, person)).map(({ address }) => sharedPlace(address)),
    ];
    const recipients = places.map(recipientAt);
    return recipients.filter(({ name }, index) => recipients.findIndex((each) => each.name === name) === index);
  }

  async post({ key, from, to, text, files }: Letter): Promise<'posted' | 'posted-before'> {
    const { store, clock } = this.#deps;
    const noted = { platform: 'send_message', account: '', chat: '', messageId: key, revision: 0 };
    const isNew = await store.transaction(async (tx) => {
      if ((await tx.inbox.note(noted)) === 'duplicate') return false;
      const { id: sessionId } = (await tx.sessions.find(to)) ?? { id: from };
      const attached = files.length === 0 ? {} : { files };
      const notAfter = clock.now() + letterLifeMs;
      await tx.outbox.enqueue({ sessionId, address: to, kind: 'notice', text, ...attached, notAfter });
      return true;
    });
    for (const listener of this.#listeners) listener(to);
    return isNew ? 'posted' : 'posted-before';
  }

  /** A terminal is no place to write to: nobody may be sitting there. */
  async #known(): Promise<{ readonly homes: readonly HomeChat[]; readonly sessions: readonly Session[] }> {
    const { store } = this.#deps;
    const sessions = await store.sessions.list({ limit: mostSessions });
    return {
      homes: await store.homeChats.list(),
      sessions: sessions.filter(({ address }) => address.platform !== 'terminal'),
    };
  }
}

type HomeChat = Awaited<ReturnType<Store['homeChats']['list']>>[number];

function isOwn({ address, person: opener }: Session, person: PersonId): boolean {
  return opener === person || isPrivate({ address, person });
}

function recipientAt(address: Address): Recipient {
  const { platform, chat, thread } = address;
  return { name: [platform, chat, ...(thread === '' ? [] : [thread])].join(':'), address };
}
