import { describeSpan } from '../../base/describe-span.ts';
import type { SessionId } from '../../base/ids.ts';
import type { TaskNews } from '../../model/tool.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import { describeEnd, nameCommand } from './describe-process.ts';
import type { ProcessTicket } from './process-ticket.ts';

const lookMs = 250;

interface Watched {
  readonly sessionId: SessionId;
  readonly ticket: ProcessTicket;
}

type Listener = (news: TaskNews) => void;

/**
 * Tells when a background process has ended, those of earlier starts included. What the model found out by asking is no
 * news. The records are looked at in the system's own time, in which processes end, and only while one runs.
 */
export class ProcessEndings {
  readonly #processes: BackgroundProcesses;
  readonly #watched = new Map<string, Watched>();
  readonly #awaited = new Set<string>();
  readonly #listeners = new Set<Listener>();
  #looking: NodeJS.Timeout | undefined;

  constructor(processes: BackgroundProcesses) {
    this.#processes = processes;
  }

  onNews(listener: Listener): Disposable {
    this.#listeners.add(listener);
    // Later, so that no start waits for it.
    const begun = setImmediate(() => this.#watchAll());
    begun.unref();
    return {
      [Symbol.dispose]: () => {
        clearImmediate(begun);
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#rest();
      },
    };
  }

  #watchAll(): void {
    for (const sessionId of this.#processes.sessions()) {
      for (const ticket of this.#processes.list(sessionId)) {
        if (!ticket.has('seen') && !ticket.has('told')) this.watch(sessionId, ticket);
      }
    }
  }

  watch(sessionId: SessionId, ticket: ProcessTicket): void {
    if (this.#listeners.size === 0) return;
    this.#watched.set(ticket.folder, { sessionId, ticket });
    this.#looking ??= setInterval(() => this.#look(), lookMs).unref();
  }

  /** For as long as a call waits for a process, its end is the call's to tell. */
  hold(ticket: ProcessTicket): Disposable {
    this.#awaited.add(ticket.folder);
    return { [Symbol.dispose]: () => void this.#awaited.delete(ticket.folder) };
  }

  unheardNews(sessionId: SessionId): readonly TaskNews[] {
    return this.#processes
      .list(sessionId)
      .filter((ticket) => !ticket.has('heard'))
      .flatMap((ticket) => this.#newsOf({ sessionId, ticket }) ?? []);
  }

  #look(): void {
    for (const [folder, watched] of this.#watched) {
      const news = this.#tryNewsOf(watched);
      if (news === 'none-yet') continue;
      this.#watched.delete(folder);
      if (news !== 'none-ever') for (const listener of this.#listeners) listener(news);
    }
    if (this.#watched.size === 0) this.#rest();
  }

  #tryNewsOf(watched: Watched): TaskNews | 'none-yet' | 'none-ever' {
    try {
      const { ticket } = watched;
      const isOver = ticket.has('seen') || !ticket.exists();
      const news = this.#newsOf(watched) ?? (isOver ? 'none-ever' : 'none-yet');
      // Whoever had it stopped was told then.
      return typeof news === 'object' && ticket.has('told') ? 'none-ever' : news;
    } catch {
      // What cannot be read, because somebody changed the folder by hand, has nothing to tell.
      return 'none-ever';
    }
  }

  #rest(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #newsOf({ sessionId, ticket }: Watched): TaskNews | undefined {
    if (this.#awaited.has(ticket.folder) || ticket.has('seen')) return undefined;
    const state = ticket.state();
    const account = ticket.account();
    if (state.type === 'running' || state.type === 'waiting' || account === undefined) return undefined;
    const end = describeEnd(state);
    const span = state.type === 'exited' ? ` after ${describeSpan(state.atMs - account.startedAtMs)}` : '';
    const command = nameCommand(account.command);
    return {
      sessionId,
      key: `${sessionId}/${ticket.id}`,
      forModel: `[The background process ${ticket.id} (${command}) ${end}${span}. This is no message of the user; process read shows its output.]`,
      forPeople: `The background process ${ticket.id} ${end}${span}: ${command}`,
      noteHeard: () => ticket.mark('heard'),
      noteTold: () => ticket.mark('told'),
    };
  }
}
