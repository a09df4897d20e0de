import { AppError } from '../../base/errors.ts';
import { findProcess } from '../../gateway/shown-processes.ts';
import type { ShownProcess } from '../../model/background.ts';

/** The process that a typed id means. */
export function requireProcess(written: string, processes: readonly ShownProcess[]): ShownProcess {
  const found = findProcess(written, processes);
  switch (found.type) {
    case 'found':
      return found.process;
    case 'none':
      throw new AppError('not-found', `there is no background process ${written}; see talaria processes --all`);
    case 'several':
      throw new AppError('bad-usage', `several background processes begin with ${written}: ${found.ids.join(', ')}`);
  }
}
