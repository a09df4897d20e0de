import { shortId } from '../../base/ids.ts';
import type { Session } from '../../model/session.ts';
import { oneLine } from '../render/one-line.ts';

const longestTitle = 60;

/** Which session is continued, and in which folder where whoever continues it is in another one. Pure. */
export function describeContinued({ id, title, workdir }: Session, folder: string | undefined): string {
  const name = title === '' ? shortId(id) : `${oneLine(title, longestTitle)} (${shortId(id)})`;
  return `continuing ${name}${workdir === folder ? '' : `, in ${workdir}`}`;
}
