import { parseShell } from './parse-command.ts';
import type { Word } from './scan-word.ts';

export interface PlainRead {
  readonly program: string;
  /** The words that may name what is read. */
  readonly paths: readonly string[];
}

/**
 * What a command reads, if it is one simple command that plainly does nothing else; otherwise undefined. Anything that
 * the shell would expand, redirect or chain is not plain.
 */
export function findPlainRead(command: string): PlainRead | undefined {
  const parsed = parseShell(command);
  if (parsed.type === 'unclear') return undefined;
  const [item, ...others] = parsed.items.filter((each) => each.type === 'command' || each.text !== '\n');
  if (
    item?.type !== 'command' ||
    others.length > 0 ||
    item.command.redirects.length > 0 ||
    item.command.inputs.length > 0
  )
    return undefined;
  const words = item.command.words.map(plainText);
  if (!words.every((word) => word !== undefined)) return undefined;
  const [program = '', ...rest] = words;
  const isPlain = readers.get(program);
  if (isPlain === undefined || !isPlain(rest)) return undefined;
  const paths = rest.flatMap((word) => [word, ...word.split('=').slice(1)]);
  return paths.some(climbsBack) ? undefined : { program, paths };
}

/** The text of a word that means itself and nothing else; a leading `~` is left to whoever resolves the path. */
function plainText(word: Word): string | undefined {
  let text = '';
  for (const piece of word) {
    if (piece.type !== 'literal' || (piece.quoting === 'bare' && isLive(piece.text))) return undefined;
    // A quoted tilde is a file of that name, and `~name` is someone else's home.
    if (text === '' && /^~(?:[^/]|$)/.test(piece.text) && piece.text !== '~') return undefined;
    if (text === '' && piece.text.startsWith('~') && (piece.quoting === 'quoted' || word.length > 1)) return undefined;
    text += piece.text;
  }
  return text;
}

function isLive(text: string): boolean {
  return /[*?[\]{}!$]/.test(text) || /^[A-Za-z_]\w*\+?=/.test(text);
}

/** `link/../x` is judged by its text but opened through the link, so the two may differ. */
function climbsBack(path: string): boolean {
  return /[^./][^/]*\/+\.\.(?:\/|$)|\.\.[^/]+\/+\.\.(?:\/|$)/.test(path);
}

type Check = (words: readonly string[]) => boolean;

const anyWords: Check = () => true;

function only(pattern: RegExp): Check {
  return (words) => words.every((word) => pattern.test(word));
}

const gitFlags =
  /^(?:--oneline|--stat|--shortstat|--numstat|--graph|--all|--decorate|--name-only|--name-status|--cached|--staged|--short|--porcelain|--branch|--no-color|--abbrev-commit|--patch|--reverse|--merges|--no-merges|--first-parent|--word-diff|--(?:since|until|after|before|author|grep|format|pretty|date|max-count|unified)=.*|-[0-9]+|-n[0-9]*|-[psbuvwi]|-U[0-9]+|-vv)$/;

function gitReads(words: readonly string[]): boolean {
  const [verb = '', ...rest] = words[0] === '--no-pager' ? words.slice(1) : words;
  if (verb === 'branch')
    return rest.every((word) => /^(?:-a|-r|-v|-vv|--all|--remotes|--list|--show-current)$/.test(word));
  if (!['status', 'log', 'diff', 'show'].includes(verb)) return false;
  const dashes = rest.indexOf('--');
  const flags = (dashes === -1 ? rest : rest.slice(0, dashes)).filter((word) => word.startsWith('-'));
  return flags.every((flag) => gitFlags.test(flag));
}

/** Programs that only read, each with the arguments under which that is true. */
const readers: ReadonlyMap<string, Check> = new Map([
  ['cat', anyWords],
  ['date', only(/^(?:\+.*|-u|--utc|-R|--rfc-email|-I\w*|--iso-8601(?:=\w+)?)$/)],
  ['df', anyWords],
  ['du', anyWords],
  ['echo', anyWords],
  ['file', only(/^(?:[^-].*|-[biLk]+|--brief|--mime(?:-type|-encoding)?|--)$/)],
  ['git', gitReads],
  ['head', anyWords],
  ['hostname', only(/^-[fsiIdA]$/)],
  ['id', anyWords],
  ['ls', anyWords],
  ['pwd', only(/^-[LP]$/)],
  ['stat', anyWords],
  ['tail', anyWords],
  ['uname', anyWords],
  ['uptime', anyWords],
  ['wc', anyWords],
  ['which', anyWords],
  ['whoami', anyWords],
]);
