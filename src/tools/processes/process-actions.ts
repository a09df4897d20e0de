import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { describeSpan } from '../../base/describe-span.ts';
import type { SessionId } from '../../base/ids.ts';
import type { ProcessState } from '../../model/background.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import { isProcessAlive, signalProcess } from '../shell/process-group.ts';
import { ProgressLines } from '../shell/progress-lines.ts';
import { done, failed } from '../tool-outcomes.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import { describeState, nameCommand } from './describe-process.ts';
import { endProcess } from './end-process.ts';
import type { ProcessEndings } from './process-endings.ts';
import { writeInput } from './process-input.ts';
import type { ProcessTicket } from './process-ticket.ts';
import { readLastLines, readOutputEnd, readOutputFrom, toPlainText } from './spooled-output.ts';
import type { OutputPiece } from './spooled-output.ts';

export interface ProcessActionDeps {
  readonly processes: BackgroundProcesses;
  readonly endings: ProcessEndings;
  readonly clock: Clock;
}

const usualLines = 100;
const usualWaitMs = 60_000;
const mostPageBytes = 40_000;
const lookMs = 50;
const shownBytes = 1000;

export function listProcesses(sessionId: SessionId, { processes }: ProcessActionDeps): ToolOutcome {
  const lines = processes.list(sessionId).map((ticket) => {
    const account = ticket.account();
    const age = describeSpan(systemClock.now() - (account?.startedAtMs ?? 0));
    const state = takeState(ticket);
    return `${ticket.id} ${describeState(state)}; started ${age} ago: ${nameCommand(account?.command ?? '')}`;
  });
  return done(lines.length === 0 ? 'There are no background processes in this conversation.' : lines.join('\n'));
}

/** How a process stands. Whoever is told of its end by this has seen it, and is not told of it again. */
function takeState(ticket: ProcessTicket): ProcessState {
  const state = ticket.state();
  if (state.type === 'exited' || state.type === 'lost') ticket.mark('seen');
  return state;
}

export interface ReadWish {
  readonly lines: number | undefined;
  readonly offset: number | undefined;
}

export async function readProcess(ticket: ProcessTicket, { lines, offset }: ReadWish): Promise<ToolOutcome> {
  // First, so that what is read of one that has ended is all there is.
  const state = takeState(ticket);
  if (offset === undefined) return done(await describeOutput(ticket, state, lines ?? usualLines));
  const piece = await readOutputFrom(ticket, offset, mostPageBytes);
  const skipped = piece.from > offset ? [`[bytes ${offset} to ${piece.from} are no longer kept]`] : [];
  return done([...skipped, ...withNotes(toPlainText(piece.bytes), piece, ticket, state)].join('\n'));
}

async function describeOutput(ticket: ProcessTicket, state: ProcessState, lines: number): Promise<string> {
  const { text, piece } = await readLastLines(ticket, lines);
  return withNotes(text, piece, ticket, state).join('\n');
}

function withNotes(
  text: string,
  { from, to, total }: OutputPiece,
  ticket: ProcessTicket,
  state: ProcessState,
): readonly string[] {
  const output = text.replace(/\n+$/, '');
  const range = to < total ? `bytes ${from} to ${to} of ${total}` : `the output ends at byte ${total}`;
  const cut = ticket.isCut() ? ['[a part of the output could not be kept]'] : [];
  return [...(output === '' ? [] : [output]), ...cut, `[${ticket.id} ${describeState(state)}; ${range}]`];
}

export async function writeToProcess(ticket: ProcessTicket, text: string, signal: AbortSignal): Promise<ToolOutcome> {
  const written = await writeInput(ticket.inputPipe, text, signal);
  switch (written.type) {
    case 'written':
      return done(`Written to ${ticket.id}.`);
    case 'full':
      return failed(`${ticket.id} does not read: only the first ${written.bytes} bytes were written`);
    case 'closed':
      return failed(`${ticket.id} reads nothing any more: it ${describeState(takeState(ticket))}`);
  }
}

export function closeInput(ticket: ProcessTicket): ToolOutcome {
  const state = ticket.state();
  const supervisor = ticket.supervisor() ?? '';
  if (state.type !== 'running' || !isProcessAlive(supervisor)) return failed(`${ticket.id} ${describeState(state)}`);
  signalProcess(Number.parseInt(supervisor, 10), 'SIGUSR1');
  return done(`The stdin of ${ticket.id} is closed.`);
}

/** Waits for the end of a process, at most for the time; what the process does is no concern of the one who waits. */
export async function awaitProcess(
  ticket: ProcessTicket,
  timeout: number | undefined,
  { signal, progress }: ToolContext,
  { endings, clock }: ProcessActionDeps,
): Promise<ToolOutcome> {
  using _held = endings.hold(ticket);
  const lines = new ProgressLines(progress, clock);
  const over = new AbortController();
  const beats = lines.beat(over.signal);
  const waitMs = timeout === undefined ? usualWaitMs : timeout * 1000;
  const late = clock.sleep(waitMs, over.signal).catch(() => undefined);
  try {
    await Promise.race([late, whenEnded(ticket, lines, AbortSignal.any([signal, over.signal]))]);
    if (signal.aborted) return { type: 'interrupted' };
    const state = takeState(ticket);
    const note = state.type === 'running' ? '\n[the time to wait is over; it runs on]' : '';
    return done((await describeOutput(ticket, state, usualLines)) + note);
  } finally {
    over.abort('over');
    await beats;
  }
}

async function whenEnded(ticket: ProcessTicket, lines: ProgressLines, signal: AbortSignal): Promise<void> {
  let seen = 0;
  while (!signal.aborted && ticket.state().type === 'running') {
    const { bytes, total } = await readOutputEnd(ticket, shownBytes);
    if (total > seen) lines.saw(bytes);
    seen = total;
    await systemClock.sleep(lookMs, signal).catch(() => undefined);
  }
}

/** Ends the whole group of a process, and what left it. */
export async function killProcess(
  ticket: ProcessTicket,
  sessionId: SessionId,
  { processes, endings }: ProcessActionDeps,
): Promise<ToolOutcome> {
  using _held = endings.hold(ticket);
  const before = ticket.state();
  await endProcess(ticket, sessionId, processes);
  const after = takeState(ticket);
  if (after.type === 'running') return failed(`${ticket.id} could not be killed`);
  if (before.type !== 'running') return done(`${ticket.id} ${describeState(after)} before; what it left is ended.`);
  return done(`${ticket.id} is killed: it ${describeState(after)}.`);
}
