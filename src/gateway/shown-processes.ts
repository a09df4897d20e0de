import { describeSpan } from '../base/describe-span.ts';
import type { ShownProcess, Stopping } from '../model/background.ts';

/** Those that run, and of those that do not the latest, at most so many; each in the order in which they were started. Pure. */
export function chooseShown(processes: readonly ShownProcess[], mostEnded: number): readonly ShownProcess[] {
  const ended = processes.filter((process) => !isRunning(process));
  return [...processes.filter(isRunning), ...ended.slice(Math.max(0, ended.length - mostEnded))];
}

export function isRunning({ state }: ShownProcess): boolean {
  return state.type === 'running';
}

/** How a process stands, and how long it ran. Pure. */
export function describeStanding({ state, ranMs }: ShownProcess): string {
  const span = ranMs === undefined ? '' : describeSpan(ranMs);
  switch (state.type) {
    case 'running':
      return `running for ${span}`;
    case 'exited':
      return state.stoppedBy === undefined ? `exit code ${state.code} after ${span}` : `stopped after ${span}`;
    case 'lost':
      return 'gone, nobody knows how';
    case 'waiting':
      return 'never begun';
  }
}

export type FoundProcess =
  | { readonly type: 'found'; readonly process: ShownProcess }
  | { readonly type: 'none' }
  | { readonly type: 'several'; readonly ids: readonly string[] };

/** The process that a typed id means; its beginning is enough while only one has it, with or without `proc_`. Pure. */
export function findProcess(written: string, processes: readonly ShownProcess[]): FoundProcess {
  const wish = written.toLowerCase();
  const fitting = wish === '' ? [] : processes.filter(({ id }) => id.startsWith(wish) || id.startsWith(`proc_${wish}`));
  const [process, ...others] = fitting;
  if (process === undefined) return { type: 'none' };
  return others.length === 0 ? { type: 'found', process } : { type: 'several', ids: fitting.map(({ id }) => id) };
}

/** What came of stopping a process, as a sentence. Pure. */
export function describeStopping({ type }: Stopping, { id, command }: ShownProcess): string {
  switch (type) {
    case 'stopped':
      return `${id} is stopped, with everything that belongs to it: ${command}`;
    case 'over':
      return `${id} had ended before; what it left is ended: ${command}`;
    case 'still-running':
      return `${id} could not be stopped: ${command}`;
  }
}

/** So many background processes. Pure. */
export function countProcesses(count: number): string {
  return count === 1 ? '1 background process' : `${count} background processes`;
}

const mostNamed = 3;
const longestCommand = 40;

/** Some processes in one line, by their ids and the beginnings of their commands; of many the first. Pure. */
export function nameProcesses(processes: readonly ShownProcess[]): string {
  const named = processes.slice(0, mostNamed).map(({ id, command }) => `${id} (${shorten(command)})`);
  const more = processes.length > mostNamed ? [`${processes.length - mostNamed} more`] : [];
  return [...named, ...more].join(', ');
}

function shorten(command: string): string {
  const characters = Array.from(command);
  return characters.length <= longestCommand ? command : `${characters.slice(0, longestCommand - 1).join('')}…`;
}
