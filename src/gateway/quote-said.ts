import { partsToText } from '../model/message.ts';
import type { Part } from '../model/message.ts';

const mostQuoted = 3;
const longestQuote = 80;

/** What people said, for one line: the first of it in quotation marks, and how much more there is. Pure. */
export function quoteSaid(said: readonly (readonly Part[])[]): string {
  const more = said.length > mostQuoted ? `, and ${said.length - mostQuoted} more` : '';
  return `${said.slice(0, mostQuoted).map(quote).join(', ')}${more}`;
}

function quote(parts: readonly Part[]): string {
  const line = partsToText(parts).trim().replaceAll(/\s+/g, ' ');
  return `“${line.length <= longestQuote ? line : `${line.slice(0, longestQuote).toWellFormed()}…`}”`;
}
