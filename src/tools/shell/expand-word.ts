import type { HereDocBody, Word, WordPart } from 'unbash';

/** What a text knows of the shell around it: where it stands, whose home `~` is, and what was assigned on the way. */
export interface ShellScope {
  readonly home: string;
  /** Undefined once the text has gone somewhere that cannot be known. */
  folder: string | undefined;
  readonly variables: Map<string, string>;
  /** How many characters may still be looked at: variables, braces and `eval` can make a short text endless. */
  readonly effort: { left: number };
}

/** Stands for text that cannot be known without running something. */
export const unknownText = '\uE001';

// A quoted wildcard or brace is moved to a private code point: an ordinary character, which no path we guard contains.
const inertBase = 0xe000;

function makeInert(text: string): string {
  return text.replaceAll(/[*?[\]{},]/g, (character) => String.fromCodePoint(inertBase + character.charCodeAt(0)));
}

/** Undoes the quoting of wildcards and braces, for text that another shell will read. */
export function revive(text: string): string {
  return text.replaceAll(/[\uE020-\uE07E]/g, (character) => String.fromCodePoint(character.charCodeAt(0) - inertBase));
}

/** Takes from the effort that is left; false where there is none. */
function spend(characters: number, { effort }: ShellScope): boolean {
  effort.left -= characters;
  return effort.left >= 0;
}

/** A scope whose changes stay its own; out of effort, it knows nothing. */
export function copyScope(scope: ShellScope): ShellScope {
  return { ...scope, variables: new Map(spend(scope.variables.size, scope) ? scope.variables : []) };
}

/** The words that a word becomes, with live wildcards left in. */
export function expandWord(word: Word, scope: ShellScope): readonly string[] {
  const text = expandText(word, scope);
  const isSplit = word.parts?.some(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion') ?? false;
  const words = isSplit ? text.split(/\s+/).filter((part) => part !== '') : [text];
  return words.flatMap((part) => expandBraces(part, scope));
}

/** The text of a word where the shell does not split it, as in an assignment. */
export function expandText(word: Word, scope: ShellScope): string {
  const text = word.parts === undefined ? unescape(word.text) : joinParts(word.parts, 'bare', scope);
  const user = /^~(root)?(?=\/|$)/.exec(word.text);
  if (user === null) return text;
  return (user[1] === undefined ? scope.home : '/root') + text.slice(user[0].length);
}

/** The text of a here-document. */
export function expandDocument(body: HereDocBody, scope: ShellScope): string {
  return body.parts === undefined ? body.text : joinParts(body.parts, 'quoted', scope);
}

type Quoting = 'bare' | 'quoted';

function joinParts(parts: readonly WordPart[], quoting: Quoting, scope: ShellScope): string {
  let text = '';
  for (const part of parts) {
    const value = expandPart(part, quoting, scope);
    if (!spend(value.length, scope)) return unknownText;
    text += value;
  }
  return text;
}

function expandPart(part: WordPart, quoting: Quoting, scope: ShellScope): string {
  switch (part.type) {
    case 'Literal':
      return quoting === 'quoted' ? makeInert(part.value) : unescape(part.text);
    case 'Glob':
      return part.text;
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return makeInert(part.value);
    case 'DoubleQuoted':
    case 'LocaleString':
      return joinParts(part.parts, 'quoted', scope);
    case 'BraceExpansion':
      return part.parts === undefined ? unescape(part.text) : `{${joinParts(part.parts, quoting, scope)}}`;
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const value = variableValue(part.text, scope);
      return quoting === 'quoted' ? makeInert(value) : value;
    }
    case 'ArithmeticExpansion':
    case 'CommandExpansion':
    case 'ExtendedGlob':
    case 'ProcessSubstitution':
      return unknownText;
  }
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character: string) => (character === '\n' ? '' : makeInert(character)));
}

function variableValue(text: string, scope: ShellScope): string {
  const name = /^\$\{?(\w+)\}?$/.exec(text)?.[1] ?? '';
  if (name === 'PWD') return scope.folder ?? unknownText;
  const usual = new Map([
    ['HOME', scope.home],
    ['IFS', ' '],
  ]);
  return scope.variables.get(name) ?? usual.get(name) ?? unknownText;
}

function expandBraces(word: string, scope: ShellScope): readonly string[] {
  const words: string[] = [];
  const open = [word];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const found = /\{([^{},]*(?:,[^{},]*)+)\}/.exec(text);
    if (found === null) words.push(text);
    else {
      const [group, inside = ''] = found;
      const [before, after] = [text.slice(0, found.index), text.slice(found.index + group.length)];
      const choices = inside.split(',');
      if (!spend(choices.length * (before.length + after.length + 1), scope)) return [unknownText];
      open.push(...choices.map((choice) => before + choice + after).toReversed());
    }
  }
  return words;
}
