import type { Command, ParsedScript, Redirect, Statement, Word, WordPart } from 'unbash';

/** The words of each command of a text, in their order, or why it is not plain. */
export type PlainText =
  | {
      readonly type: 'plain';
      readonly commands: readonly (readonly string[])[];
      /** Whether a `cd` among them leads all that follow it: those run only where it went well. */
      readonly moves: 'surely' | 'perhaps';
      /** Whether the words are all there is to it, or its output goes another way. */
      readonly output: 'usual' | 'redirected';
    }
  | { readonly type: 'doubtful'; readonly why: string };

/**
 * Reads a text that is simple commands, piped or one after another, and means exactly what it says. Anything that the shell
 * would expand, redirect, put aside or repeat is not plain, except for what `echo` may show of the shell and for output
 * that goes nowhere; and neither is anything that the parser was not sure of.
 */
export function readPlainText(text: string, script: ParsedScript): PlainText {
  if ((script.errors ?? []).length > 0) return doubtful('it cannot be read for certain');
  const found = script.commands.flatMap(({ command }) => simpleCommands(command));
  const pieces = found.map(piecesOf);
  if (found.some(({ redirects }) => !redirects.every((each) => isPlainRedirect(each, text)))) {
    return doubtful('it reads its input from a file or a text, or writes to a file');
  }
  if (!pieces.every((each) => each.length > 0) || !isAllOf(text, pieces)) return doubtful(moreThanPlain);
  const commands = pieces.map(plainWords);
  if (commands.length === 0) return doubtful(moreThanPlain);
  const output = found.every(({ redirects }) => redirects.length === 0) ? 'usual' : 'redirected';
  return commands.every((words) => words !== undefined)
    ? { type: 'plain', commands, moves: findMoves(script), output }
    : doubtful('the shell fills in a part of it: a variable, a wildcard or what a command prints');
}

export const moreThanPlain = 'it is more than one plain command';

function doubtful(why: string): PlainText {
  return { type: 'doubtful', why };
}

function findMoves({ commands: [first, ...further] }: ParsedScript): 'surely' | 'perhaps' {
  const chain = first?.command;
  const isChain = chain?.type === 'AndOr' && chain.operators.every((operator) => operator === '&&');
  if (!isChain || further.length > 0) return 'perhaps';
  // In a pipe it moves nobody else.
  const piped = chain.commands.flatMap((each) => (each.type === 'Pipeline' ? simpleCommands(each) : []));
  return piped.some(({ name }) => name?.value === 'cd') ? 'perhaps' : 'surely';
}

/** What a plain command is written with. */
type Piece = Word | Redirect;

function plainWords(command: readonly Piece[]): readonly string[] | undefined {
  const words = command.filter((piece) => piece.type === 'Word');
  const isPlain = words[0]?.text === 'echo' ? isShownPart : isPlainPart;
  const texts = words.map((word) => plainText(word, isPlain));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** The simple commands of a statement, in their order; anything else in it is seen by the text that is left over. */
function simpleCommands(node: Statement['command']): readonly Command[] {
  if (node.type === 'Command') return [node];
  return node.type === 'AndOr' || node.type === 'Pipeline' ? node.commands.flatMap(simpleCommands) : [];
}

/** None where a command is more than its words and plain redirections behind its name. */
function piecesOf({ prefix, name, suffix }: Command): readonly Piece[] {
  const pieces = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
  return pieces[0]?.type === 'Word' && pieces.every((piece) => piece.type === 'Word' || piece.type === 'Redirect')
    ? pieces
    : [];
}

// Output that goes nowhere, or along with the rest. By the text, so that nothing hangs on how it was parsed.
const plainRedirect = /^(?:(?:[12]?>{1,2}|&>{1,2})[ \t]*\/dev\/null|2>&1|1?>&2)$/;

function isPlainRedirect({ pos, end }: Command['redirects'][number], text: string): boolean {
  return plainRedirect.test(text.slice(pos, end));
}

const blanks = /^(?:[ \t]|\\\n)+$/;
const linesBefore = /^(?:[ \t]*(?:#.*)?\n)*[ \t]*$/;
const linesAfter = /^[ \t]*(?:#.*)?(?:\n[ \t]*(?:#.*)?)*$/;
// Not `&`: what goes on in the background is not over with the command.
const betweenCommands = /^[ \t]*(?:\||\|\||&&|;|\n)[ \t\n]*$/;

/** Whether a text holds nothing beside these pieces but blanks and comments. The parser drops a stray `(` in silence. */
function isAllOf(text: string, commands: readonly (readonly Piece[])[]): boolean {
  const isGapPlain = commands.every((words, at) => {
    const end = commands[at - 1]?.at(-1)?.end;
    const [before = '', ...between] = words.map((word, index) =>
      text.slice(words[index - 1]?.end ?? end ?? 0, word.pos),
    );
    return (end === undefined ? linesBefore : betweenCommands).test(before) && between.every((gap) => blanks.test(gap));
  });
  return isGapPlain && linesAfter.test(text.slice(commands.at(-1)?.at(-1)?.end));
}

/** The text of a word that means itself and nothing else; a leading `~` is left to whoever resolves the path. */
function plainText(word: Word, isPlain: (part: Word | WordPart) => boolean): string | undefined {
  if (!(word.parts ?? [word]).every(isPlain)) return undefined;
  // A quoted tilde is a file of that name, and `~name` is someone else's home.
  return word.value.startsWith('~') && !/^~(?:\/[^\\'"]*)?$/.test(word.text) ? undefined : word.value;
}

/** `$'…'` and `$"…"` are left out: what they come to depends on the locale. */
function isPlainPart(part: Word | WordPart): boolean {
  const live = part.text.replaceAll(/\\./gs, '');
  if (part.type === 'SingleQuoted') return true;
  // To bash `"$["` begins something; the parser takes it for text.
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal') && !/\$[^ "]/.test(live);
  const isBare = part.type === 'Literal' || part.type === 'Word';
  return isBare && !/[*?[\]{}!$\\]|^[A-Za-z_]\w*\+?=/.test(live);
}

// Of the shell itself, and no secret in anyone's settings. `$?` is how the last command ended.
const shownNames = 'EUID|HOME|HOSTNAME|LANG|LOGNAME|OLDPWD|PATH|PWD|SHELL|TERM|UID|USER';
const shown = new RegExp(`\\$(?:\\?|(?:${shownNames})(?!\\w)|\\{(?:${shownNames})\\})`, 'g');

/** The same of what may be shown: `echo` does nothing with it, whatever it holds. */
function isShownPart(part: Word | WordPart): boolean {
  if (isPlainPart(part)) return true;
  if (isShownVariable(part)) return true;
  if (part.type !== 'DoubleQuoted') return false;
  const live = part.text.replaceAll(/\\./gs, '').replaceAll(shown, 'x');
  return part.parts.every((each) => each.type === 'Literal' || isShownVariable(each)) && !/\$[^ "]/.test(live);
}

function isShownVariable({ type, text }: Word | WordPart): boolean {
  const isVariable = type === 'SimpleExpansion' || type === 'ParameterExpansion';
  return isVariable && text.replaceAll(shown, '') === '';
}
