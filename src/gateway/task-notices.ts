import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { waitOut } from '../base/wait-out.ts';
import { newsKey } from '../model/news-key.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import type { TaskNews, Toolbox } from '../model/tool.ts';
import type { AccessDeps } from './access.ts';
import { isOfStranger } from './shut-out.ts';

export interface TaskNoticesDeps extends AccessDeps {
  readonly store: Store;
  readonly toolbox: Pick<Toolbox, 'onNews'>;
  readonly deliver: (address: Address) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

// Where nobody looks at a chat for longer than this, the model still hears of it with the next message.
const noticeLifeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Tells people that something that they had left running has ended. That they were told is noted together with the notice
 * in the outbox, so that each ending is told once. In a chat that is not served it waits until it is.
 */
export class TaskNotices implements AsyncDisposable {
  readonly #deps: TaskNoticesDeps;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #listening: Disposable;

  constructor(deps: TaskNoticesDeps) {
    this.#deps = deps;
    this.#listening = deps.toolbox.onNews((news) => void this.#keep(this.#tellOrNote(news)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    this.#stopping.abort('over');
    await Promise.all(this.#underWay);
  }

  async #keep(work: Promise<void>): Promise<void> {
    this.#underWay.add(work);
    await work;
    this.#underWay.delete(work);
  }

  async #tellOrNote(news: TaskNews): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#stopping;
    try {
      const address = await waitOut(() => this.#write(news), { clock, signal });
      if (address === undefined) return;
      news.noteTold();
      // Not waited for: a chat that is flooded must not keep the program from ending.
      void this.#deps.deliver(address);
    } catch (thrown) {
      if (signal.aborted) return;
      const { sessionId } = news;
      log.write('warn', 'nobody could be told what ended', { sessionId, reason: describeError(thrown) });
    }
  }

  /** Where there is something to send. */
  async #write(news: TaskNews): Promise<Address | undefined> {
    const { store, clock } = this.#deps;
    const { sessionId, forPeople: text } = news;
    const session = await store.sessions.get(sessionId);
    // Whoever has no access any more is told nothing.
    if (session === undefined || (await isOfStranger(session, this.#deps))) return undefined;
    const { address } = session;
    const notAfter = clock.now() + noticeLifeMs;
    await store.transaction(async (tx) => {
      if ((await tx.inbox.note(newsKey(news, 'people'))) === 'duplicate') return;
      await tx.outbox.enqueue({ sessionId, address, kind: 'notice', text, notAfter });
    });
    return address;
  }
}
