import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../base/ids.ts';
import { CallTicket } from './call-ticket.ts';
import { isProcessAlive } from './process-group.ts';

/** The tickets of all sessions. One stays until its session's next command, since only then its outcome surely is in the log. */
export class CallTickets {
  readonly #tasks: string;
  readonly #held = new Set<string>();

  constructor(tasks: string) {
    this.#tasks = tasks;
  }

  /** The ticket of a call, by a key that no other call of the session has. It is held until it is let go of. */
  hold(sessionId: SessionId, key: string): CallTicket {
    mkdirSync(this.#folderOf(sessionId), { recursive: true, mode: 0o700 });
    const ticket = new CallTicket(this.#tasks, `${sessionId}/calls/${encodeURIComponent(key)}`);
    this.#held.add(ticket.name);
    return ticket;
  }

  letGo(ticket: CallTicket): void {
    this.#held.delete(ticket.name);
  }

  /** Removes what earlier calls of the session left. */
  sweep(sessionId: SessionId): void {
    for (const ticket of this.#all(sessionId)) if (!this.#held.has(ticket.name)) ticket.remove();
  }

  /** The process groups of commands that still run, of an earlier start of the program too. */
  openGroups(sessionId: SessionId): readonly number[] {
    const open = this.#all(sessionId).filter((ticket) => {
      return ticket.exitCode() === undefined && isProcessAlive(ticket.runner() ?? '');
    });
    return open.flatMap((ticket) => ticket.group() ?? []);
  }

  /** The process groups of the newest commands, ended ones included: what they left in the background is in their group. */
  groups(sessionId: SessionId): readonly number[] {
    return this.#all(sessionId).flatMap((ticket) => ticket.group() ?? []);
  }

  #all(sessionId: SessionId): readonly CallTicket[] {
    const folder = this.#folderOf(sessionId);
    const keys = existsSync(folder) ? readdirSync(folder) : [];
    return keys.map((key) => new CallTicket(this.#tasks, `${sessionId}/calls/${key}`));
  }

  #folderOf(sessionId: SessionId): string {
    return join(this.#tasks, sessionId, 'calls');
  }
}
