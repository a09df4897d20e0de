import type { ShellScope } from './expand-word.ts';
import { isGuardedTarget } from './guarded-targets.ts';

const narrowing =
  /^-(?:[ac]min|[ac]time|mmin|mtime|newer.*|i?name|i?path|i?regex|i?lname|wholename|size|empty|user|group|uid|gid|perm|inum|links|samefile)$/;

/** What a `find` would delete, if it begins at a guarded place and leaves nothing out. */
export function findSweep(words: readonly string[], scope: ShellScope): string | undefined {
  const begin = words.findIndex((word) => /^[-!(]/.test(word) && !/^-[HLP]$/.test(word));
  const starts = begin === -1 ? words : words.slice(0, begin);
  const place = starts.find((word) => isGuardedTarget(word, scope));
  if (place === undefined || words.some((word) => narrowing.test(word))) return undefined;
  const deletes = words.some((word, index) => {
    if (word === '-delete') return true;
    return (
      /^-(?:exec|execdir)$/.test(word) && words.slice(index + 1, index + 3).some((next) => /(?:^|\/)rm$/.test(next))
    );
  });
  return deletes ? `deleting everything in ${place}` : undefined;
}
