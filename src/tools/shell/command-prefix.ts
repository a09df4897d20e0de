/** The words that commands begin with, and whether others may follow. */
export interface CommandPrefix {
  readonly words: readonly string[];
  readonly rest: 'any' | 'none';
}

/**
 * What a consent to a plain command can cover for good: all commands that begin like it, where the ones of that kind do
 * the same thing whatever follows; otherwise just this one. Undefined for programs that run, send or destroy what they
 * are told to, and for what is not found by a bare name. Pure.
 */
export function findPrefix(words: readonly string[]): CommandPrefix | undefined {
  const [program = '', subcommand = ''] = words;
  if (!/^\w[\w.+-]*$/.test(program) || isNeverStanding(program)) return undefined;
  const known = kinds.get(`${program} ${subcommand}`);
  if (known === undefined) return { words, rest: 'none' };
  const begin = words.slice(0, known.words);
  const rest = words.slice(known.words);
  if (begin.length < known.words || begin.some((word) => word.startsWith('-'))) return { words, rest: 'none' };
  return known.covers(rest) ? { words: begin, rest: 'any' } : { words, rest: 'none' };
}

/** Whether a program does whatever its words, its input or a file says. A consent to it is a consent to anything. */
export function isNeverStanding(program: string): boolean {
  return (
    neverStanding.has(program) || /^(?:python|perl|ruby|php|lua|node|tclsh|pypy|mkfs)[\d.]*(?:\.\w+)?$/.test(program)
  );
}

interface Kind {
  /** How many words name what is done. */
  readonly words: number;
  /** Whether it still does only that when these words follow. */
  readonly covers: (rest: readonly string[]) => boolean;
}

function kind(words: number, covers: Kind['covers']): Kind {
  return { words, covers };
}

/** Long options can be shortened and short ones written in one word, so that each is taken for everything it may stand for. */
function mayMean(word: string, option: string): boolean {
  const [name = ''] = word.split('=');
  if (!name.startsWith('-') || name === '--') return false;
  if (option.startsWith(name) || name.startsWith(option)) return true;
  return /^-\w$/.test(option) && /^-\w/.test(name) && name.includes(option.slice(1));
}

const anything = (): boolean => true;
const without =
  (...options: readonly string[]) =>
  (rest: readonly string[]): boolean =>
    !rest.some((word) => options.some((option) => mayMean(word, option)));
/** The options of the program itself are not covered; what follows `--` belongs to what it runs. */
const withoutOptions = (rest: readonly string[]): boolean => {
  const end = rest.indexOf('--');
  return !rest.slice(0, end === -1 ? undefined : end).some((word) => word.startsWith('-'));
};
// These take no value. Any other option might take the name of the remote for one, and the word behind it for the remote.
const flagOfRemote =
  /^(?:-[46anpqtuv]+|--(?:all|atomic|dry-run|ff-only|follow-tags|no-rebase|no-tags|prune|quiet|rebase|set-upstream|tags|verbose))$/;
/** Only to and from the usual remotes: to git, any other word may be an address or a folder with hooks of its own. */
const withUsualRemote =
  (...options: readonly string[]) =>
  (rest: readonly string[]): boolean => {
    const at = rest.findIndex((word) => !word.startsWith('-'));
    const isUsual =
      at === -1 || (isUsualRemote(rest[at]) && rest.slice(0, at).every((word) => flagOfRemote.test(word)));
    const isPlain = !rest.some((word) => /[:+]|=[./~]/.test(word));
    return isPlain && isUsual && without('--repo', ...options)(rest);
  };
const isUsualRemote = (word = ''): boolean => /^(?:origin|upstream)$/.test(word);
/** Of a path outside of the repository git compares the files themselves, and so shows what is in any file. */
const withinRepository = (rest: readonly string[]): boolean =>
  !rest.some((word) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word));
const comparesCommits = without('--output', '--ext-diff', '--textconv', '--no-index');

const compilers = without('--config', '--manifest-path', '-Z', '-C', '--target-dir', '--out-dir', '--artifact-dir');
// Go's options are whole words behind one dash or two. Those for the linker can name the program that links.
const goTools = (rest: readonly string[]): boolean =>
  !rest.some((word) => /^--?(?:exec|toolexec|o|C|modfile|overlay|vettool|ldflags|gccgoflags)(?:=|$)/.test(word));

/** Kinds of commands that stay what they are whatever follows. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ['cargo build', kind(2, compilers)],
  ['cargo check', kind(2, compilers)],
  ['cargo clippy', kind(2, compilers)],
  ['cargo fmt', kind(2, compilers)],
  ['cargo test', kind(2, compilers)],
  ['docker images', kind(2, anything)],
  ['docker logs', kind(2, anything)],
  ['docker ps', kind(2, anything)],
  // Not with words from a file: it may be any file, and git repeats what stands in it.
  ['git add', kind(2, without('--pathspec-from-file'))],
  ['git commit', kind(2, without('--file', '-F', '--template', '-t', '--pathspec-from-file'))],
  ['git diff', kind(2, (rest) => withinRepository(rest) && comparesCommits(rest))],
  ['git fetch', kind(2, withUsualRemote('--upload-pack', '--exec'))],
  ['git log', kind(2, without('--output', '--ext-diff', '--textconv'))],
  ['git pull', kind(2, withUsualRemote('--upload-pack', '--exec', '--strategy', '-s', '-X', '--force', '-f'))],
  [
    'git push',
    kind(2, withUsualRemote('--receive-pack', '--exec', '--force', '-f', '--delete', '-d', '--mirror', '--prune')),
  ],
  ['git show', kind(2, without('--output', '--ext-diff', '--textconv'))],
  ['git status', kind(2, anything)],
  ['go build', kind(2, goTools)],
  ['go test', kind(2, goTools)],
  ['go vet', kind(2, goTools)],
  ['npm run', kind(3, withoutOptions)],
  ['npm test', kind(2, withoutOptions)],
  ['pnpm run', kind(3, withoutOptions)],
  ['pnpm test', kind(2, withoutOptions)],
  ['yarn run', kind(3, withoutOptions)],
  ['yarn test', kind(2, withoutOptions)],
]);

const neverStanding: ReadonlySet<string> = new Set(
  [
    'ash bash csh dash fish ksh mksh sh tcsh zsh',
    'builtin command eval exec source trap alias export declare typeset set unset enable hash',
    'busybox chroot doas env find flock ionice nice nohup nsenter parallel runuser setsid stdbuf strace su sudo time timeout',
    'toybox unshare watch xargs',
    'awk gawk mawk nawk sed ed ex vi vim nvim emacs nano less more man script expect gdb',
    'bun deno java jshell osascript pwsh powershell Rscript R sqlite3 psql mysql',
    'npx pnpx uvx pipx',
    'at batch crontab systemd-run',
    'curl wget nc ncat netcat socat telnet ssh scp sftp rsync ftp tar zip',
    'dd rm rmdir shred truncate unlink wipefs mount umount chmod chown chgrp ln mv cp install tee',
    'kill killall pkill skill',
  ].flatMap((line) => line.split(' ')),
);
