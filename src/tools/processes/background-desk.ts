import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Background, ProcessState, ShownProcess, Stopping } from '../../model/background.ts';
import { BackgroundProcesses } from './background-processes.ts';
import { nameCommand } from './describe-process.ts';
import type { ProcessAccount, ProcessTicket } from './process-ticket.ts';

export interface BackgroundDeskOptions {
  readonly taskFolder: string;
  /** Takes our own keys out of what is shown. */
  readonly redact: (text: string) => string;
}

/** The background processes for people: read from their tickets, so that no other program has to be asked. */
export function createBackgroundDesk({ taskFolder, redact }: BackgroundDeskOptions): Background {
  const processes = new BackgroundProcesses(taskFolder);
  const show = (sessionId: SessionId): readonly ShownProcess[] =>
    processes.list(sessionId).flatMap((ticket) => {
      const account = ticket.account();
      return account === undefined ? [] : [describeTicket(ticket, account, sessionId)];
    });
  const describeTicket = (ticket: ProcessTicket, account: ProcessAccount, sessionId: SessionId): ShownProcess => {
    const { workdir, startedAtMs } = account;
    const state = ticket.state();
    const command = redact(nameCommand(account.command));
    return { id: ticket.id, sessionId, command, workdir, startedAtMs, ranMs: measure(startedAtMs, state), state };
  };
  return {
    list(sessionId) {
      const sessions = sessionId === undefined ? processes.sessions() : [sessionId];
      return sessions.flatMap(show).toSorted((left, right) => left.startedAtMs - right.startedAtMs);
    },
    async readEnd({ sessionId, id }, lines) {
      const ticket = processes.find(sessionId, id);
      if (ticket === undefined) return '';
      const { readLastLines } = await import('./spooled-output.ts');
      return redact((await readLastLines(ticket, lines)).text);
    },
    async stop({ sessionId, id }, toldWhere) {
      const ticket = processes.find(sessionId, id);
      return ticket === undefined ? { type: 'over' } : await stop(ticket, sessionId, { processes, toldWhere });
    },
    noteTold: ({ sessionId, id }) => processes.find(sessionId, id)?.mark('told'),
  };
}

function measure(startedAtMs: number, state: ProcessState): number | undefined {
  switch (state.type) {
    case 'running':
      return systemClock.now() - startedAtMs;
    case 'exited':
      return state.atMs - startedAtMs;
    case 'lost':
    case 'waiting':
      return undefined;
  }
}

interface StopDeps {
  readonly processes: BackgroundProcesses;
  readonly toldWhere: 'in-its-chat' | 'elsewhere';
}

async function stop(
  ticket: ProcessTicket,
  sessionId: SessionId,
  { processes, toldWhere }: StopDeps,
): Promise<Stopping> {
  const wasRunning = ticket.state().type === 'running';
  // Before it ends: whoever watches it may tell of the end at once.
  const marks = [
    ...(wasRunning ? (['stopped'] as const) : []),
    ...(toldWhere === 'in-its-chat' ? ['told' as const] : []),
  ];
  for (const mark of marks) ticket.mark(mark);
  const { endProcess } = await import('./end-process.ts');
  await endProcess(ticket, sessionId, processes);
  if (ticket.state().type !== 'running') return { type: wasRunning ? 'stopped' : 'over' };
  for (const mark of marks) ticket.unmark(mark);
  return { type: 'still-running' };
}
