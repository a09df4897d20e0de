import type { Workspace } from '../workspace.ts';

/**
 * Why a path is not read after all. Links may be swapped while a question stands, so that it is judged again right before it is
 * read; `asked` is the question that was asked about it.
 */
export function findObjection(path: string, workspace: Workspace, asked: string | undefined): string | undefined {
  const risk = workspace.judgeRead(path);
  if (risk.type === 'forbidden') return risk.reason;
  return risk.type === 'safe' || risk.question === asked
    ? undefined
    : `that now leads to ${path}, which the user was not asked about`;
}
