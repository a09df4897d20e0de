import { shortId } from '../../base/ids.ts';
import type { SearchHit } from '../../model/store.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readLimit } from '../read-limit.ts';
import { describeAge } from '../render/age.ts';
import { oneLine } from '../render/one-line.ts';

export const searchSessions: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const limit = readLimit(args);
  await using app = await deps.openApp({ purpose: 'look' });
  const hits = await app.store.search.find(args.words.join(' '), limit);
  if (args.has('json')) stdout.write(`${JSON.stringify({ ok: true, hits })}\n`);
  else if (hits.length === 0) stderr.write('Nothing was found.\n');
  else stdout.write(renderHits(hits, Date.now(), stdout.isTTY ? 'short' : 'whole'));
  return exitCodes.done;
};

/** One line a hit, so that the output can be searched on; for people with ids that can be typed. Pure. */
export function renderHits(hits: readonly SearchHit[], now: number, ids: 'short' | 'whole'): string {
  return hits
    .map(
      ({ sessionId, at, author, snippet }) =>
        `${ids === 'short' ? shortId(sessionId) : sessionId}  ${describeAge(at, now)}  ${author}: ${oneLine(snippet, 300)}\n`,
    )
    .join('');
}
