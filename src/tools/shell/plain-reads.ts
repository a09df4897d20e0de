import type { Command, ParsedScript, Statement, Word, WordPart } from 'unbash';

export interface PlainRead {
  readonly program: string;
  /** The words that may name what is read. */
  readonly paths: readonly string[];
}

/** Why a command is not plainly one that reads. */
export interface ReadDoubt {
  readonly why: string;
  /** What it reads at least, where its program is one that reads. */
  readonly paths: readonly string[];
}

/**
 * The words of each command of a text that is simple commands, piped or one after another, and means exactly what it
 * says; otherwise none. Anything that the shell would expand, redirect, put aside or repeat is not plain, and
 * neither is anything that the parser was not sure of.
 */
export function plainCommands(text: string, script: ParsedScript): readonly (readonly string[])[] {
  const commands = onlyWords(text, script).map(plainWords);
  return commands.every((words) => words !== undefined) ? commands : [];
}

function plainWords(command: readonly Word[]): readonly string[] | undefined {
  const words = command.map(plainText);
  return words.every((word) => word !== undefined) ? words : undefined;
}

/** What a simple command reads, if it plainly does nothing else; otherwise why that cannot be said. */
export function findPlainRead([program = '', ...rest]: readonly string[]): PlainRead | ReadDoubt {
  const isPlain = readers.get(program);
  if (isPlain === undefined) return { why: `${program} is not known to do nothing but read`, paths: [] };
  const paths = rest.flatMap((word) => [word, ...word.split('=').slice(1)]);
  if (!isPlain(rest)) return { why: `with these words, ${program} may do more than read`, paths };
  return paths.some(climbsBack)
    ? { why: 'a path in it goes back over another folder, which may be a link', paths }
    : { program, paths };
}

/** The words of each command of a text of nothing but words and what stands between commands; otherwise none. */
function onlyWords(text: string, { commands, errors = [] }: ParsedScript): readonly (readonly Word[])[] {
  if (errors.length > 0) return [];
  const found = commands.flatMap(({ command }) => simpleCommands(command)).map(wordsOf);
  return found.every((words) => words.length > 0) && isAllOf(text, found) ? found : [];
}

/** The simple commands of a statement, in their order; anything else in it is seen by the text that is left over. */
function simpleCommands(node: Statement['command']): readonly Command[] {
  if (node.type === 'Command') return [node];
  return node.type === 'AndOr' || node.type === 'Pipeline' ? node.commands.flatMap(simpleCommands) : [];
}

/** None where a command is more than its words. */
function wordsOf({ prefix, name, suffix }: Command): readonly Word[] {
  const words = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
  return words.every((word) => word.type === 'Word') ? words : [];
}

const blanks = /^(?:[ \t]|\\\n)+$/;
const linesBefore = /^(?:[ \t]*(?:#.*)?\n)*[ \t]*$/;
const linesAfter = /^[ \t]*(?:#.*)?(?:\n[ \t]*(?:#.*)?)*$/;
// Not `&`: what goes on in the background is not over with the command.
const betweenCommands = /^[ \t]*(?:\||\|\||&&|;|\n)[ \t\n]*$/;

/** Whether a text holds nothing beside these words but blanks and comments. The parser drops a stray `(` in silence. */
function isAllOf(text: string, commands: readonly (readonly Word[])[]): boolean {
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
function plainText(word: Word): string | undefined {
  if (!(word.parts ?? [word]).every(isPlainPart)) return undefined;
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

/** `link/../x` is judged by its text but opened through the link, so the two may differ. */
function climbsBack(path: string): boolean {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  return steps.some((step, index) => step !== '..' && steps[index + 1] === '..');
}

type Check = (words: readonly string[]) => boolean;

const anyWords: Check = () => true;

function only(pattern: RegExp): Check {
  return (words) => words.every((word) => pattern.test(word));
}

/** Names of files from a file or a pipe are names that nobody judged. Long options may be cut short. */
const namesOnlyInWords: Check = (words) => !words.some((word) => word.startsWith('--f'));

const findTests: ReadonlySet<string> = new Set(['-empty', '-not', '!', '-print', '-o', '-a']);
const findTestsWithValue =
  /^-(?:name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|newer|user|group|perm|regex|iregex)$/;

/** A `find` that only names what it finds: it can also delete, write and run. */
function findsOnly(words: readonly string[]): boolean {
  const begin = words.findIndex((word) => word.startsWith('-') || word === '!');
  const tests = begin === -1 ? [] : words.slice(begin);
  let isValue = false;
  return tests.every((word) => {
    // In order, since the value of a test may look like another test.
    const wasValue = isValue;
    isValue = !wasValue && findTestsWithValue.test(word);
    return wasValue || isValue || findTests.has(word);
  });
}

/**
 * Programs that only read, each with the arguments under which that is true. Git is not among them: the settings of a
 * repository can make even `git status` run a program.
 */
const readers: ReadonlyMap<string, Check> = new Map([
  ['basename', anyWords],
  ['cat', anyWords],
  ['cmp', anyWords],
  ['cut', anyWords],
  ['date', only(/^(?:\+.*|-u|--utc|-R|--rfc-email|-I\w*|--iso-8601(?:=\w+)?)$/)],
  ['df', anyWords],
  ['diff', only(/^(?:[^-].*|-[qsuwbBiEay]+|--)$/)],
  ['dirname', anyWords],
  ['du', namesOnlyInWords],
  ['echo', anyWords],
  ['file', only(/^(?:[^-].*|-[biLk]+|--brief|--mime(?:-type|-encoding)?|--)$/)],
  ['find', findsOnly],
  // Without -r, which would also read what lies below a folder, and -f, which takes a file in the same word.
  ['grep', only(/^(?:[^-].*|-[nilwxcvEFGohHsLqae]+|-[ABCm]\d*|--colou?r(?:=\w+)?|--)$/)],
  ['head', anyWords],
  ['hostname', only(/^-[fsiIdA]$/)],
  ['id', anyWords],
  ['ls', anyWords],
  ['md5sum', only(/^[^-].*$/)],
  ['nl', anyWords],
  ['pwd', only(/^-[LP]$/)],
  ['readlink', anyWords],
  ['realpath', anyWords],
  ['sha256sum', only(/^[^-].*$/)],
  ['sort', only(/^(?:[^-].*|-[nrufhVbdi]+|--)$/)],
  ['stat', anyWords],
  ['tail', anyWords],
  ['uname', anyWords],
  ['uptime', anyWords],
  ['wc', namesOnlyInWords],
  ['which', anyWords],
  ['whoami', anyWords],
]);
