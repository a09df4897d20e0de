import { cut, spellOutLine } from '../tool-outcomes.ts';
import type { ProcessState } from './process-ticket.ts';

const longestName = 200;

/** A command on one line, at most so long. */
export function nameCommand(command: string): string {
  return cut(spellOutLine(command.trim()), longestName);
}

export function describeEnd(state: Extract<ProcessState, { readonly type: 'exited' | 'lost' }>): string {
  if (state.type === 'exited') return `has ended with exit code ${state.code}`;
  return 'is gone, and nobody knows how it ended';
}

/** How a process stands, after its id. */
export function describeState(state: ProcessState): string {
  switch (state.type) {
    case 'running':
      return 'is running';
    case 'waiting':
      return 'was never begun';
    case 'exited':
    case 'lost':
      return describeEnd(state);
  }
}

/** A time that has passed, as people say it. */
export function describeSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
