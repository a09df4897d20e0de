import { findWholeCommand } from './command-line.ts';
import { anyMark, setQuotesAside } from './quotes.ts';

/** One thing that is asked for: its words, in which every quoted part is a mark. */
export interface Clause {
  readonly words: string;
  /** Puts quoted parts back into a piece of the words. */
  readonly restore: (piece: string) => string;
  /** The same with their quotation marks, which are part of a command. */
  readonly verbatim: (piece: string) => string;
}

const mostClauses = 5;
const courtesy = /^(?:please|now|ok(?:ay)?|(?:can|could|would|will) you(?: please)?)[,\s]+/i;
const separator = /\s*(?:[;\n]|(?<=[^\s.])[.?!]\s+|,?\s*\b(?:and\s+)?then\b)\s*/i;

/** Splits a text where one thing ends and the next begins. */
export function splitClauses(text: string): readonly Clause[] {
  const { plain, restore, verbatim } = setQuotesAside(text.trim());
  const clauses: Clause[] = [];
  for (let rest = plain; rest !== '' && clauses.length < mostClauses;) {
    rest = rest.replace(/^(?:[\s,;?!]|\.(?=\s|$))+/, '').replace(courtesy, '');
    const command = findWholeCommand(rest);
    const end = command === undefined ? separator.exec(rest) : null;
    const piece = command ?? rest.slice(0, end?.index);
    rest = rest.slice(piece.length + (end?.[0].length ?? 0));
    const words = command?.trim() ?? piece.replaceAll(/(?:(?<=[^\s.])\.|[\s,?!])+$/g, '');
    if (words !== '') clauses.push({ words, restore, verbatim });
  }
  return clauses;
}

/** A name with an ending, a way with slashes, a hidden name, a folder's own dots, or anything in quotes. */
export const pathWord = [
  anyMark,
  '[\\w~.@-]*/[\\w~./@-]*',
  '\\.\\.?(?=\\s|$)',
  '\\.?[\\w-]+(?:\\.[\\w-]+)*\\.\\w{1,10}',
  '\\.[A-Za-z][\\w-]*',
  'README|LICEN[CS]E|Makefile|Dockerfile|CHANGELOG',
].join('|');

const anyPath = new RegExp(`(?<![\\w/.])(${pathWord})(?![\\w/])`);

/** The first word that can only be a path. */
export function findPath(clause: Clause, piece: string = clause.words): string | undefined {
  const found = anyPath.exec(piece)?.[1];
  return found === undefined ? undefined : clause.restore(found);
}
