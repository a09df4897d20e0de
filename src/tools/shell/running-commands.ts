import type { SessionId } from '../../base/ids.ts';
import type { CallTickets } from './call-tickets.ts';
import { endProcesses } from './end-processes.ts';
import { isGroupAlive, processesWith } from './process-group.ts';
import type { ShellCall } from './shell-call.ts';

/** The name under which every child finds its session, and by which a session finds its children after a restart. */
export const sessionVariable = 'TALARIA_SESSION';

/** The shells of each session whose output is still open: the running ones, and those that left something behind. */
export class RunningCommands {
  readonly #shells = new Map<SessionId, Set<ShellCall>>();
  readonly #tickets: Pick<CallTickets, 'openGroups' | 'groups'>;

  constructor(tickets: Pick<CallTickets, 'openGroups' | 'groups'>) {
    this.#tickets = tickets;
  }

  track(sessionId: SessionId, shell: ShellCall): void {
    const shells = this.#shells.get(sessionId) ?? new Set();
    this.#shells.set(sessionId, shells.add(shell));
    void this.#forgetWhenClosed(sessionId, shell);
  }

  async #forgetWhenClosed(sessionId: SessionId, shell: ShellCall): Promise<void> {
    await shell.closed;
    const shells = this.#shells.get(sessionId);
    shells?.delete(shell);
    if (shells?.size === 0) this.#shells.delete(sessionId);
  }

  /** Whether anything that the session started still runs, of an earlier start of the program too. */
  isAlive(sessionId: SessionId): boolean {
    if (this.#shells.has(sessionId)) return true;
    // The groups first: a process that is just starting a program shows no environment for a moment.
    if (this.#tickets.groups(sessionId).some(isGroupAlive)) return true;
    return processesWith(`${sessionVariable}=${sessionId}`).length > 0;
  }

  /** Ends every process of the session, those that left their group or outlived an earlier run of the program too. */
  async end(sessionId: SessionId): Promise<void> {
    const shells = [...(this.#shells.get(sessionId) ?? [])];
    await Promise.all(shells.map((shell) => shell.end()));
    await endProcesses(`${sessionVariable}=${sessionId}`, this.#tickets.openGroups(sessionId));
  }
}
