/** A word in the pieces that the shell would join: text, variables, and commands whose output takes their place. */
export type Word = readonly Piece[];

export type Piece =
  | { readonly type: 'literal'; readonly text: string; readonly quoting: Quoting }
  | { readonly type: 'variable'; readonly name: string; readonly quoting: Quoting }
  | { readonly type: 'substitution'; readonly code: string }
  /** An expansion whose value cannot be known here; the commands inside it can. */
  | { readonly type: 'unknown'; readonly codes: readonly string[] };

export type Quoting = 'bare' | 'quoted';

export type ScannedWord =
  | { readonly type: 'word'; readonly word: Word; readonly end: number }
  | { readonly type: 'unclear'; readonly reason: string };

/** Reads the word that begins at an index. */
export function scanWord(text: string, start: number): ScannedWord {
  const pieces: Piece[] = [];
  let at = start;
  while (at < text.length && !endsWord(text, at)) {
    const scanned = scanPiece(text, at);
    if (scanned.type === 'unclear') return scanned;
    pieces.push(...scanned.pieces);
    at = scanned.end;
  }
  return { type: 'word', word: pieces, end: at };
}

type Scanned =
  | { readonly type: 'pieces'; readonly pieces: readonly Piece[]; readonly end: number }
  | { readonly type: 'unclear'; readonly reason: string };

function endsWord(text: string, at: number): boolean {
  const character = text.charAt(at);
  if ((character === '<' || character === '>') && text.charAt(at + 1) === '(') return false;
  return ' \t\r\n;|&()<>'.includes(character);
}

function scanPiece(text: string, at: number): Scanned {
  switch (text.charAt(at)) {
    case '\\':
      return scanEscape(text, at);
    case "'":
      return scanSingle(text, at);
    case '"':
      return scanDouble(text, at + 1);
    case '`':
      return scanBackticks(text, at);
    case '$':
      return scanDollar(text, at, 'bare');
    case '<':
    case '>':
      return scanSubstitution(text, at + 2);
    default:
      return scanBare(text, at);
  }
}

function scanEscape(text: string, at: number): Scanned {
  const escaped = text.charAt(at + 1);
  if (escaped === '') return unclear('a backslash at the end');
  if (escaped === '\n') return { type: 'pieces', pieces: [], end: at + 2 };
  return { type: 'pieces', pieces: [{ type: 'literal', text: escaped, quoting: 'quoted' }], end: at + 2 };
}

function scanSingle(text: string, at: number): Scanned {
  const end = text.indexOf("'", at + 1);
  if (end === -1) return unclear('an open single quote');
  const piece: Piece = { type: 'literal', text: text.slice(at + 1, end), quoting: 'quoted' };
  return { type: 'pieces', pieces: [piece], end: end + 1 };
}

function scanDouble(text: string, start: number): Scanned {
  const pieces: Piece[] = [{ type: 'literal', text: '', quoting: 'quoted' }];
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { type: 'pieces', pieces, end: at + 1 };
    const scanned = scanQuotedPiece(text, at);
    if (scanned.type === 'unclear') return scanned;
    pieces.push(...scanned.pieces);
    at = scanned.end;
  }
  return unclear('an open double quote');
}

function scanQuotedPiece(text: string, at: number): Scanned {
  const character = text.charAt(at);
  if (character === '`') return scanBackticks(text, at);
  if (character === '$') return scanDollar(text, at, 'quoted');
  if (character === '\\' && '$`"\\\n'.includes(text.charAt(at + 1))) return scanEscape(text, at);
  const plain = /[\\]?[^"`$\\]*/y;
  plain.lastIndex = at;
  const found = plain.exec(text)?.[0] ?? character;
  return { type: 'pieces', pieces: [{ type: 'literal', text: found, quoting: 'quoted' }], end: at + found.length };
}

function scanBackticks(text: string, at: number): Scanned {
  let end = at + 1;
  while (end < text.length && text.charAt(end) !== '`') end += text.charAt(end) === '\\' ? 2 : 1;
  if (end >= text.length) return unclear('an open backtick');
  const code = text.slice(at + 1, end).replaceAll(/\\([`$\\])/g, '$1');
  return { type: 'pieces', pieces: [{ type: 'substitution', code }], end: end + 1 };
}

function scanDollar(text: string, at: number, quoting: Quoting): Scanned {
  const next = text.charAt(at + 1);
  if (next === '(') return scanSubstitution(text, at + 2);
  if (next === '{') return scanBraces(text, at + 2, quoting);
  if (next === "'" && quoting === 'bare') return scanAnsiQuote(text, at + 2);
  if (next === '"' && quoting === 'bare') return scanDouble(text, at + 2);
  const name = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(text.slice(at + 1, at + 200))?.[0];
  if (name === undefined) return { type: 'pieces', pieces: [{ type: 'literal', text: '$', quoting }], end: at + 1 };
  return { type: 'pieces', pieces: [{ type: 'variable', name, quoting }], end: at + 1 + name.length };
}

function scanSubstitution(text: string, start: number): Scanned {
  const end = findClosing(text, start, ['(', ')']);
  if (end === -1) return unclear('an open parenthesis');
  return { type: 'pieces', pieces: [{ type: 'substitution', code: text.slice(start, end) }], end: end + 1 };
}

function scanBraces(text: string, start: number, quoting: Quoting): Scanned {
  const end = findClosing(text, start, ['{', '}']);
  if (end === -1) return unclear('an open brace');
  const inner = text.slice(start, end);
  if (/^[A-Za-z_]\w*$/.test(inner)) {
    return { type: 'pieces', pieces: [{ type: 'variable', name: inner, quoting }], end: end + 1 };
  }
  return { type: 'pieces', pieces: [{ type: 'unknown', codes: codesOf(scanTemplate(inner)) }], end: end + 1 };
}

/** Text in which only substitutions count, like the body of a here-document. What cannot be followed ends it. */
export function scanTemplate(text: string): Word {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < text.length) {
    const scanned: Scanned =
      text.charAt(at) === '"'
        ? { type: 'pieces', pieces: [{ type: 'literal', text: '"', quoting: 'quoted' }], end: at + 1 }
        : scanQuotedPiece(text, at);
    if (scanned.type === 'unclear') return [...pieces, { type: 'unknown', codes: [] }];
    pieces.push(...scanned.pieces);
    at = scanned.end;
  }
  return pieces;
}

function scanAnsiQuote(text: string, start: number): Scanned {
  let end = start;
  while (end < text.length && text.charAt(end) !== "'") end += text.charAt(end) === '\\' ? 2 : 1;
  if (end >= text.length) return unclear('an open quote');
  const inner = text.slice(start, end);
  const piece: Piece = inner.includes('\\')
    ? { type: 'unknown', codes: [] }
    : { type: 'literal', text: inner, quoting: 'quoted' };
  return { type: 'pieces', pieces: [piece], end: end + 1 };
}

function scanBare(text: string, at: number): Scanned {
  const plain = /[^ \t\r\n;|&()<>\\'"`$]+/y;
  plain.lastIndex = at;
  const found = plain.exec(text)?.[0] ?? text.charAt(at);
  return { type: 'pieces', pieces: [{ type: 'literal', text: found, quoting: 'bare' }], end: at + found.length };
}

/** The index of the bracket that closes the one before `start`; quoted brackets do not count. */
function findClosing(text: string, start: number, brackets: readonly [string, string]): number {
  let depth = 1;
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === brackets[0]) depth += 1;
    else if (character === brackets[1]) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** The commands that run while a word is expanded. */
export function codesOf(word: Word): readonly string[] {
  return word.flatMap((piece) => {
    if (piece.type === 'substitution') return [piece.code];
    return piece.type === 'unknown' ? piece.codes : [];
  });
}

function unclear(reason: string): { readonly type: 'unclear'; readonly reason: string } {
  return { type: 'unclear', reason };
}
