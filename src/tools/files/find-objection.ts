import type { Risk } from '../../model/tool.ts';

/**
 * Why nothing is done with a path after all. Links may be swapped while a question stands, so that it is judged again right
 * before it is used: `risk` is that judgement, and `asked` the question that was asked about it. Pure.
 */
export function findObjection(path: string, risk: Risk, asked: string | undefined): string | undefined {
  if (risk.type === 'forbidden') return risk.reason;
  return risk.type === 'safe' || risk.question === asked
    ? undefined
    : `that now leads to ${path}, which the user was not asked about`;
}
