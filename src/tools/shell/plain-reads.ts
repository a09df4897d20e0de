import type { PlainText } from './plain-commands.ts';

export interface PlainRead {
  readonly program: string;
  /** The words that may name what is read. */
  readonly paths: readonly string[];
  /** Of a `cd`: whether it leads all that follow it. */
  readonly moves?: 'surely' | 'perhaps';
}

/** Why a command is not plainly one that reads. */
export interface ReadDoubt {
  readonly why: string;
  /** What it reads at least, where its program is one that reads. */
  readonly paths: readonly string[];
}

/** What each of several simple commands reads, or why one of them may do more. */
export function findPlainReads({
  commands,
  moves,
}: Extract<PlainText, { readonly type: 'plain' }>): readonly (PlainRead | ReadDoubt)[] {
  const firstMove = commands.findIndex(([program]) => program === 'cd');
  const moved = commands.filter(([program]) => program === 'cd').length;
  return commands.map((words, index) => {
    const read = findPlainRead(words);
    const hasMoved = firstMove !== -1 && index > firstMove;
    if ('why' in read) return read;
    const placed = read.program === 'cd' ? { ...read, moves } : read;
    if (!hasMoved) return placed;
    if (moved > mostMoves) return { why: 'it goes from folder to folder', paths: read.paths };
    // `cd x && cat ../y` is `cat x/../y`.
    return read.paths.some(climbs) ? { why: climbing, paths: read.paths } : placed;
  });
}

// Each may have failed, so that there are twice as many folders to judge behind it.
const mostMoves = 2;
const climbing = 'a path in it goes back over another folder, which may be a link';

/** What a simple command reads, if it plainly does nothing else; otherwise why that cannot be said. */
function findPlainRead([program = '', ...rest]: readonly string[]): PlainRead | ReadDoubt {
  const isPlain = readers.get(program);
  if (isPlain === undefined) return { why: `${program} is not known to do nothing but read`, paths: [] };
  const paths = rest.flatMap((word) => [word, ...word.split('=').slice(1)]);
  if (!isPlain(rest)) return { why: `with these words, ${program} may do more than read`, paths };
  return paths.some(climbsBack) ? { why: climbing, paths } : { program, paths };
}

/** `link/../x` is judged by its text but opened through the link, so the two may differ. */
function climbsBack(path: string): boolean {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  return steps.some((step, index) => step !== '..' && steps[index + 1] === '..');
}

function climbs(path: string): boolean {
  return path.split('/').find((step) => step !== '.') === '..';
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
  // It changes nothing but where the next command runs, which is judged anew. `cd -` leads nobody knows where.
  ['cd', (words) => words.length <= 1 && only(/^[^-]/)(words)],
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
