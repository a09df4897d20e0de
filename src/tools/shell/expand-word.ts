import type { Word } from './scan-word.ts';

/** What a text knows of the shell around it: where it stands, whose home `~` is, and what was assigned on the way. */
export interface ShellScope {
  readonly home: string;
  /** Undefined once the text has gone somewhere that cannot be known. */
  folder: string | undefined;
  readonly variables: Map<string, string>;
}

// A quoted wildcard or brace is moved to a private code point: an ordinary character, which no path we guard contains.
const inertBase = 0xe000;

function makeInert(text: string): string {
  return text.replaceAll(/[*?[\]{},]/g, (character) => String.fromCodePoint(inertBase + character.charCodeAt(0)));
}

/** Undoes the quoting of wildcards and braces, for text that another shell will read. */
export function revive(text: string): string {
  return text.replaceAll(/[\uE020-\uE07E]/g, (character) => String.fromCodePoint(character.charCodeAt(0) - inertBase));
}

/** The words that a word becomes, with live wildcards left in; undefined where that cannot be known. */
export function expandWord(word: Word, scope: ShellScope): readonly string[] | undefined {
  let text = '';
  let isSplit = false;
  for (const [index, piece] of word.entries()) {
    if (piece.type === 'literal') {
      const value = piece.quoting === 'quoted' ? makeInert(piece.text) : piece.text;
      text += index === 0 && piece.quoting === 'bare' ? expandTilde(value, scope, word.length) : value;
    } else if (piece.type === 'variable') {
      const value = variableValue(piece.name, scope);
      if (value === undefined) return undefined;
      text += piece.quoting === 'quoted' ? makeInert(value) : value;
      isSplit ||= piece.quoting === 'bare';
    } else return undefined;
  }
  const words = isSplit ? text.split(/\s+/).filter((part) => part !== '') : [text];
  return words.flatMap((part) => expandBraces(part, 0));
}

function expandTilde(text: string, scope: ShellScope, pieces: number): string {
  if (text.startsWith('~/')) return scope.home + text.slice(1);
  if (text === '~' && pieces === 1) return scope.home;
  return /^~root(?=\/|$)/.test(text) ? text.replace('~root', '/root') : text;
}

function variableValue(name: string, scope: ShellScope): string | undefined {
  if (name === 'PWD') return scope.folder;
  return scope.variables.get(name) ?? (name === 'HOME' ? scope.home : undefined);
}

const mostBraces = 6;

function expandBraces(text: string, depth: number): readonly string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(text);
  if (found === null || depth > mostBraces) return [text];
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  return (found[1] ?? '').split(',').flatMap((choice) => expandBraces(before + choice + after, depth + 1));
}
