import { shortId } from '../../base/ids.ts';
import { placeWords } from '../../gateway/place-words.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readLimit } from '../read-limit.ts';
import { describeAge } from '../render/age.ts';
import { clip, oneLine } from '../render/one-line.ts';
import { summarise } from './session-summary.ts';
import type { SessionSummary } from './session-summary.ts';

export const listSessions: CommandFunction = async (args, deps) => {
  const limit = args.has('all') ? Infinity : readLimit(args);
  const { stdout, stderr } = deps.process;
  await using app = await deps.openApp({ purpose: 'look' });
  const { sessions: stored, turns } = app.store;
  const unfinished = new Set((await turns.unsettled()).map(({ sessionId }) => sessionId));
  const all = await stored.list({ limit: mostSessions, stage: 'begun' });
  const sessions = all.slice(0, limit).map((session) => summarise(session, unfinished));
  const more = all.length - sessions.length;
  if (args.has('json')) stdout.write(`${JSON.stringify({ ok: true, sessions, more })}\n`);
  else if (sessions.length === 0) stderr.write('There are no sessions yet. `talaria` starts one.\n');
  else stdout.write(renderList(sessions, Date.now(), stdout.isTTY ? stdout.columns : undefined));
  // Beside the list, so that whoever reads it line by line reads sessions alone.
  if (more > 0 && !args.has('json')) stderr.write(`… and ${more} more: --all, or --limit COUNT\n`);
  return exitCodes.done;
};

// More than anyone has; the store wants a number.
const mostSessions = 1_000_000;

/** One line a session; on a screen with ids that can be typed, and what of a title does not fit its width is cut off. Pure. */
export function renderList(sessions: readonly SessionSummary[], now: number, width: number | undefined): string {
  const ages = sessions.map((session) => describeAge(session.activeAt, now));
  const ageWidth = Math.max(...ages.map((age) => age.length));
  return sessions
    .map((session, index) => {
      const age = (ages[index] ?? '').padStart(ageWidth);
      const state = session.isUnfinished ? '(unfinished) ' : '';
      const title = session.title === '' ? '(no title)' : oneLine(session.title, 200);
      const id = width === undefined ? session.id : shortId(session.id);
      const place = describePlace(session);
      return `${clip(`${id}  ${age}  ${state}${title}`, (width ?? Infinity) - place.length)}${place}\n`;
    })
    .join('');
}

/** Where a session takes place, if not at a terminal, in the words of /sessions. */
function describePlace({ platform }: SessionSummary): string {
  return platform === 'terminal' ? '' : `  (${placeWords({ platform })})`;
}
