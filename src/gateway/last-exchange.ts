import { partsToText } from '../model/message.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import type { TurnResult } from '../model/turn.ts';
import { lastTurn } from './undo-commands.ts';

const longestSaid = 200;
const longestReply = 600;
const mostLines = 8;

/** What was said last in a session and what was answered, for whoever comes back to it; nothing where nobody said anything. */
export async function describeLastExchange(
  { id }: Pick<Session, 'id'>,
  { turns }: Pick<Store, 'turns'>,
): Promise<readonly string[]> {
  const log = await turns.after(id, 0);
  const last = lastTurn(log);
  if (last === undefined) return [];
  const results = log.flatMap(({ turnId, entry }) =>
    turnId === last.turnId && entry.type === 'turn.settled' ? [entry.result] : [],
  );
  const said = cut(partsToText(last.parts).replaceAll(/\s+/g, ' ').trim(), longestSaid);
  return ['Last there:', `› ${said}`, ...results.map(describeResult)];
}

function describeResult(result: TurnResult): string {
  if (result.type !== 'replied') return '(not answered)';
  const lines = result.text.trim().split('\n');
  const shown = lines.slice(0, mostLines).join('\n');
  const whole = cut(shown, longestReply);
  return whole === shown && lines.length > mostLines ? `${shown}\n…` : whole;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
