import { nameCall } from '../model/call-words.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { Wait } from '../model/turn.ts';
import type { Obstacle, Waiting } from './follow-wait.ts';
import { titleOf } from './vendor-titles.ts';

export const waitingForPerson = 'waiting for your answer (question below)';

/** What is waited for and since when, in one line for the person who waits. Pure. */
export function describeWait({ obstacle, sinceMs }: Waiting, nowMs: number): string {
  // Whoever is asked knows why nothing happens, and the line need not grow.
  if (obstacle.type === 'person') return waitingForPerson;
  return describeObstacle(obstacle, describeTime(nowMs - sinceMs));
}

function describeObstacle(obstacle: Exclude<Obstacle, { readonly type: 'person' }>, time: string): string {
  switch (obstacle.type) {
    case 'program':
      return `working, ${time}`;
    case 'model':
      return describeModel(obstacle, time);
    case 'thinking':
      return `${whoIs(obstacle.runtime)} is thinking, ${time}`;
    case 'answering':
      return `waiting for ${whoIs(obstacle.runtime)} to go on, ${time}`;
    case 'call':
      return `a call of ${obstacle.name} is being written, ${time}`;
    case 'tools':
      return describeCalls(obstacle, time);
    case 'summary':
      return `compacting: ${titleOf(obstacle.runtime)} writes a summary, ${time}`;
    case 'store':
      return `${obstacle.reason}; waiting, ${time}`;
  }
}

function whoIs(runtime: RuntimeName | undefined): string {
  return runtime === undefined ? 'the model' : titleOf(runtime);
}

function describeModel(wait: Extract<Wait, { readonly type: 'model' }>, time: string): string {
  const { runtime, next, attempt, mostAttempts, pauseMs } = wait;
  const who = titleOf(runtime, next);
  const what = pauseMs === undefined ? `waiting for ${who}` : `cooling down before ${who} is asked again`;
  const attempts = `try ${attempt} of ${mostAttempts}`;
  return `${what}, ${time}, ${attempts}${next === undefined ? '' : `; next: ${titleOf(next, runtime)}`}`;
}

function describeCalls(wait: Extract<Wait, { readonly type: 'tools' }>, time: string): string {
  const [call, ...others] = wait.calls;
  const first = call === undefined ? 'a tool' : nameCall(call);
  const named = others.length === 0 ? first : `${first} and ${others.length} more`;
  // The command last, where a narrow line is cut.
  return wait.begun === 'before' ? `it still runs; waiting for it, ${time}: ${named}` : `running ${named}, ${time}`;
}

/** Seconds for the first two minutes, then minutes, then hours. Pure. */
export function describeTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
