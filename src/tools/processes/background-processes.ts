import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import { isProcessAlive, signalGroup } from '../shell/process-group.ts';
import { ProcessTicket } from './process-ticket.ts';

/** How many may run at once in a session. */
export const mostRunning = 20;
/** How many that have ended a session can still look up. */
const mostEnded = 20;

/** The name under which everything that belongs to a background process finds it, and is found. */
const processVariable = 'TALARIA_PROCESS';

const tickMs = 50;
const graceTicks = 40;

/** The background processes of all sessions, by their tickets. It keeps nothing in memory that a restart would lose. */
export class BackgroundProcesses {
  readonly #tasks: string;

  constructor(tasks: string) {
    this.#tasks = tasks;
  }

  folderOf(sessionId: SessionId): string {
    return join(this.#tasks, sessionId, 'processes');
  }

  /** The ticket of a call: always the same for the same call, so that no process is started twice. */
  ofCall(sessionId: SessionId, key: string): ProcessTicket {
    const id = `proc_${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
    return new ProcessTicket(this.folderOf(sessionId), id);
  }

  find(sessionId: SessionId, id: string): ProcessTicket | undefined {
    return this.list(sessionId).find((ticket) => ticket.id === id);
  }

  /** Those of a session, in the order in which they were started. */
  list(sessionId: SessionId): readonly ProcessTicket[] {
    const ids = this.#names(sessionId).filter((name) => /^proc_[0-9a-f]+$/.test(name));
    const tickets = ids.map((id) => new ProcessTicket(this.folderOf(sessionId), id));
    const startedAtMs = new Map(tickets.map((ticket) => [ticket, ticket.account()?.startedAtMs ?? 0]));
    return tickets.toSorted((left, right) => (startedAtMs.get(left) ?? 0) - (startedAtMs.get(right) ?? 0));
  }

  #names(sessionId: SessionId): readonly string[] {
    const folder = this.folderOf(sessionId);
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  running(sessionId: SessionId): readonly ProcessTicket[] {
    return this.list(sessionId).filter((ticket) => ticket.state().type === 'running');
  }

  /** The sessions that ever started one. */
  sessions(): readonly SessionId[] {
    const names = existsSync(this.#tasks) ? readdirSync(this.#tasks) : [];
    return names.map((name) => name as SessionId).filter((sessionId) => existsSync(this.folderOf(sessionId)));
  }

  /** Forgets the oldest of those that have ended and that the model has heard of, and what a crash left half made. */
  sweep(sessionId: SessionId): void {
    for (const name of this.#names(sessionId)) {
      if (name.endsWith('.new')) rmSync(join(this.folderOf(sessionId), name), { recursive: true, force: true });
    }
    const ended = this.list(sessionId).filter((ticket) => ticket.has('seen') || ticket.has('heard'));
    for (const ticket of ended.slice(0, Math.max(0, ended.length - mostEnded))) ticket.remove();
  }

  /** The entry by which everything is known that belongs to a process. */
  variableOf(sessionId: SessionId, { id }: ProcessTicket): { readonly name: string; readonly value: string } {
    return { name: processVariable, value: `${sessionId}/${id}` };
  }

  /** The groups of those that run. */
  openGroups(sessionId: SessionId): readonly number[] {
    return this.list(sessionId).flatMap(groupOf);
  }

  /** Before a session's processes are ended: how they end is no doing of theirs then, and is not told as such. */
  noteClosing(sessionId: SessionId): void {
    for (const ticket of this.running(sessionId)) ticket.mark('closed');
  }

  /** Waits until the supervisors of ended processes are gone, too; nothing of theirs is needed any more. */
  async endSupervisors(sessionId: SessionId): Promise<void> {
    const supervisors = this.list(sessionId).flatMap((ticket) => ticket.supervisor() ?? []);
    for (let tick = 0; tick < graceTicks && supervisors.some(isProcessAlive); tick += 1)
      await systemClock.sleep(tickMs);
    for (const supervisor of supervisors.filter(isProcessAlive))
      signalGroup(Number.parseInt(supervisor, 10), 'SIGKILL');
  }
}

/** The group of a process, for as long as its number cannot have passed to another. */
export function groupOf(ticket: ProcessTicket): readonly number[] {
  const leader = ticket.leader();
  return leader !== undefined && isProcessAlive(leader) ? [Number.parseInt(leader, 10)] : [];
}
