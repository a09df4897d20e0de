import { shortId } from '../base/ids.ts';
import { partsToText } from '../model/message.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import type { LoggedEntry } from '../model/turn.ts';

const mostQuoted = 3;
const longestQuote = 80;

/**
 * What whoever leaves a session should know: that something said there has no answer yet, since it was put off or cut off.
 * It goes on when they come back and no sooner, so that its answer does not turn up in another conversation.
 */
export async function describePutOff(
  { id }: Pick<Session, 'id'>,
  { turns }: Pick<Store, 'turns'>,
): Promise<readonly string[]> {
  const waiting = new Set((await turns.unsettled(id)).map(({ turnId }) => turnId));
  if (waiting.size === 0) return [];
  const said = (await turns.after(id, 0)).filter(({ turnId }) => waiting.has(turnId)).flatMap(quote);
  const more = said.length > mostQuoted ? `, and ${said.length - mostQuoted} more` : '';
  const quotes = `${said.slice(0, mostQuoted).join(', ')}${more}`;
  return [`Not answered there yet: ${quotes}. That goes on when you come back: /resume ${shortId(id)}`];
}

function quote({ entry }: LoggedEntry): readonly string[] {
  if (entry.type !== 'turn.admitted') return [];
  const line = partsToText(entry.parts).trim().replaceAll(/\s+/g, ' ');
  return [`“${line.length <= longestQuote ? line : `${line.slice(0, longestQuote).toWellFormed()}…`}”`];
}
