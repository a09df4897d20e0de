import { anyMark, setQuotesAside } from './quotes.ts';

/** One thing that is asked for: its words, in which every quoted part is a mark. */
export interface Clause {
  readonly words: string;
  /** Puts quoted parts back into a piece of the words. */
  readonly restore: (piece: string) => string;
}

const mostClauses = 5;
const courtesy = /^(?:please|now|ok(?:ay)?|(?:can|could|would|will) you(?: please)?)[,\s]+/i;

/** Splits a text where one thing ends and the next begins. */
export function splitClauses(text: string): readonly Clause[] {
  const quotes = setQuotesAside(text.trim());
  return quotes.plain
    .split(/\s*(?:[;\n]|(?<=[^\s.])[.?!]\s+|,?\s*\b(?:and\s+)?then\b)\s*/i)
    .map((piece) => piece.replaceAll(/^[\s,]+|(?:(?<=[^\s.])\.|[\s,?!])+$/g, '').replace(courtesy, ''))
    .filter((words) => words !== '')
    .slice(0, mostClauses)
    .map((words) => ({ words, restore: quotes.restore }));
}

/** Words that stand before a noun; what follows one is prose, not a name or a command. */
export const article = '(?:the|a|an|my|our|your|this|that|these|some|all|its?)';

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
