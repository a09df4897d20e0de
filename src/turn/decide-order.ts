import type { Footprint, ToolEffect } from '../model/tool.ts';

export interface PlannedCall {
  readonly effect: ToolEffect;
  readonly footprint: Footprint;
  readonly needs: 'nothing' | 'consent';
}

/**
 * Calls run side by side only if there is more than one, none needs consent, and all are reads or file writes that no
 * other call's files overlap. Pure.
 */
export function decideOrder(calls: readonly PlannedCall[]): 'side-by-side' | 'one-by-one' {
  if (calls.length < 2 || !calls.every(isTame)) return 'one-by-one';
  const clash = calls.some((call, index) => calls.slice(index + 1).some((other) => clashes(call, other)));
  return clash ? 'one-by-one' : 'side-by-side';
}

function isTame({ effect, footprint, needs }: PlannedCall): boolean {
  return needs === 'nothing' && (effect === 'reads' || (effect !== 'unsafe' && footprint.type === 'files'));
}

function clashes(left: PlannedCall, right: PlannedCall): boolean {
  if (left.effect === 'reads' && right.effect === 'reads') return false;
  if (left.footprint.type === 'anything' || right.footprint.type === 'anything') return true;
  const theirs = right.footprint.paths;
  return left.footprint.paths.some((path) => theirs.some((other) => contains(path, other) || contains(other, path)));
}

function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
