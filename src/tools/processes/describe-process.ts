import type { ProcessState } from '../../model/background.ts';
import { cut, spellOutLine } from '../tool-outcomes.ts';

const longestName = 200;

/** A command on one line, at most so long. */
export function nameCommand(command: string): string {
  return cut(spellOutLine(command.trim()), longestName);
}

export function describeEnd(state: Extract<ProcessState, { readonly type: 'exited' | 'lost' }>): string {
  if (state.type === 'lost') return 'is gone, and nobody knows how it ended';
  if (state.stoppedBy === 'close') return 'was ended together with its session';
  return state.stoppedBy === 'user' ? 'was stopped by the user' : `has ended with exit code ${state.code}`;
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
