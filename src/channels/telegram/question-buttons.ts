import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import type { Outbound } from '../../model/channel.ts';
import { writeButton } from './button-data.ts';
import type { VerdictPress } from './button-data.ts';

const longestLabel = 40;

/** The answers to a question, one under the other where they reach further than once. */
export function questionButtons(digest: string, offer: Outbound['offer']): InlineKeyboardMarkup | 'too-long' {
  const rows = (offer === undefined ? [plain] : offerRows(offer)).map((row) =>
    row.map(({ text, press }) => ({ text, callback_data: writeButton({ ...press, digest }) })),
  );
  return rows.every((row) => row.every(isWritten)) ? { inline_keyboard: rows as InlineKeyboardButton[][] } : 'too-long';
}

interface Choice {
  readonly text: string;
  readonly press: Omit<VerdictPress, 'digest'>;
}

const deny: Choice = { text: 'Deny', press: { verdict: 'denied' } };
const plain: readonly Choice[] = [{ text: 'Allow', press: { verdict: 'approved' } }, deny];

function offerRows({ atMost, label }: NonNullable<Outbound['offer']>): readonly (readonly Choice[])[] {
  const once: Choice = { text: 'Once', press: { verdict: 'approved' } };
  const session: Choice = { text: 'Session', press: { verdict: 'approved', scope: 'session' } };
  if (atMost === 'session') return [[once, session, deny]];
  const always: Choice = { text: `Always ${shorten(label)}`, press: { verdict: 'approved', scope: 'always' } };
  return [[once, session, deny], [always]];
}

function shorten(label: string): string {
  return label.length <= longestLabel ? label : `${label.slice(0, longestLabel).toWellFormed()}…`;
}

function isWritten({ callback_data: data }: { readonly callback_data: string | undefined }): boolean {
  return data !== undefined;
}
