import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import type { CallTickets } from './call-tickets.ts';
import { isGroupAlive, processesWith, signalGroup, signalProcess } from './process-group.ts';
import type { ShellCall } from './shell-call.ts';

/** The name under which every child finds its session, and by which a session finds its children after a restart. */
export const sessionVariable = 'TALARIA_SESSION';

const tickMs = 50;
const graceTicks = 20;

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
    await this.#endStragglers(`${sessionVariable}=${sessionId}`, this.#tickets.openGroups(sessionId));
  }

  async #endStragglers(entry: string, groups: readonly number[]): Promise<void> {
    for (const group of groups) signalGroup(group, 'SIGTERM');
    const asked = new Set<number>();
    for (let tick = 0; tick < graceTicks; tick += 1) {
      const stragglers = processesWith(entry);
      // Never trust the first look: a process that is just starting a program shows no environment for a moment.
      if (stragglers.length === 0 && tick > 0 && !groups.some(isGroupAlive)) return;
      for (const pid of stragglers.filter((each) => !asked.has(each))) {
        asked.add(pid);
        signalProcess(pid, 'SIGTERM');
      }
      await systemClock.sleep(tickMs);
    }
    for (const group of groups) signalGroup(group, 'SIGKILL');
    for (const pid of processesWith(entry)) signalProcess(pid, 'SIGKILL');
  }
}
