import type { ToolCall } from '../model/message.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { StepEvent, TurnEntry, Wait } from '../model/turn.ts';

/** What stands between a turn and the next thing that is seen of it. */
export type Obstacle =
  | Wait
  /** The program itself is at work. */
  | { readonly type: 'program' }
  | { readonly type: 'thinking' | 'answering'; readonly runtime: RuntimeName | undefined }
  | { readonly type: 'call'; readonly name: string };

/** What a turn waits for, by the monotonic clock. */
export interface Waiting {
  readonly obstacle: Obstacle;
  readonly sinceMs: number;
  /** When whoever watches last saw something new. */
  readonly seenMs: number;
  /** Who was asked last. */
  readonly runtime: RuntimeName | undefined;
}

export function beginWaiting(nowMs: number): Waiting {
  return { obstacle: { type: 'program' }, sinceMs: nowMs, seenMs: nowMs, runtime: undefined };
}

/** What is waited for after an event. Pure. */
export function followWait(waiting: Waiting, event: StepEvent, nowMs: number): Waiting {
  const { runtime } = waiting;
  switch (event.type) {
    case 'entry':
      return followEntry(waiting, event.logged.entry, nowMs);
    case 'waiting':
      return meet(waiting, event.wait, nowMs);
    case 'text.delta':
      return { ...waiting, obstacle: { type: 'answering', runtime }, sinceMs: nowMs, seenMs: nowMs };
    case 'reasoning.delta':
      return meet(waiting, { type: 'thinking', runtime }, nowMs);
    case 'call.begun':
      return seen(meet(waiting, { type: 'call', name: event.name }, nowMs), nowMs);
    case 'notice':
      return seen(waiting, nowMs);
    case 'tool.progress':
    case 'status':
      return waiting;
  }
}

function followEntry(waiting: Waiting, entry: TurnEntry, nowMs: number): Waiting {
  switch (entry.type) {
    case 'step.asked':
      return { ...waiting, runtime: entry.runtime };
    case 'tool.called':
      return seen(meet(waiting, { type: 'tools', calls: [...openCalls(waiting), entry.call] }, nowMs), nowMs);
    case 'tool.settled': {
      const calls = openCalls(waiting).filter(({ id }) => id !== entry.callId);
      return meet(waiting, calls.length > 0 ? { type: 'tools', calls } : { type: 'program' }, nowMs);
    }
    case 'approval.asked':
      return seen(meet(waiting, { type: 'person' }, nowMs), nowMs);
    case 'step.finished':
    case 'approval.answered':
    case 'question.answered':
    case 'limit.reached':
    case 'context.compacted':
    case 'context.restored':
    case 'context.undone':
      return meet(waiting, { type: 'program' }, nowMs);
    case 'turn.admitted':
    case 'turn.claimed':
    case 'turn.released':
    case 'turn.announced':
    case 'turn.steered':
    case 'turn.nudged':
    case 'step.failed':
    case 'compaction.asked':
    case 'turn.settled':
      return waiting;
  }
}

function openCalls({ obstacle }: Waiting): readonly ToolCall[] {
  return obstacle.type === 'tools' ? obstacle.calls : [];
}

/** The time runs on where it is the same that is waited for: the next try of a call is no new beginning to whoever waits. */
function meet(waiting: Waiting, obstacle: Obstacle, nowMs: number): Waiting {
  const isSame = subjectOf(waiting.obstacle) === subjectOf(obstacle);
  return { ...waiting, obstacle, sinceMs: isSame ? waiting.sinceMs : nowMs };
}

function subjectOf(obstacle: Obstacle): string {
  if (obstacle.type === 'model') return `model ${obstacle.runtime}`;
  return obstacle.type === 'tools' ? `tools ${obstacle.calls[0]?.id ?? ''}` : obstacle.type;
}

function seen(waiting: Waiting, nowMs: number): Waiting {
  return { ...waiting, seenMs: nowMs };
}
