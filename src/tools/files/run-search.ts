import type { Clock } from '../../base/clock.ts';
import type { ToolOutcome } from '../../model/message.ts';
import { realPath } from '../real-path.ts';
import { cut, done, failed } from '../tool-outcomes.ts';
import { mayHoldLogin } from '../login-files.ts';
import type { Workspace } from '../workspace.ts';
import { statIfAny } from './replace-file.ts';
import { findRipgrep, runRipgrep } from './ripgrep.ts';
import type { RipgrepResult } from './ripgrep.ts';
import { SearchHits } from './search-hits.ts';
import type { SearchRequest } from './search-hits.ts';
import { SearchRoot } from './search-root.ts';
import { describeMissing } from './similar-names.ts';
import { findTrueLines } from './true-lines.ts';

export interface SearchDeps {
  readonly workspace: Workspace;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const timeLimitMs = 60_000;
const longestColumns = 500;
const mostContext = 20;

/** Searches a file or folder, at the real path that was judged, with ripgrep and shows one page of what it finds. */
export async function runSearch(
  root: string,
  request: SearchRequest,
  deps: SearchDeps,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if ((await statIfAny(root)) === undefined) return failed(await describeMissing(root));
  const program = await findRipgrep(deps.environment['PATH'] ?? '');
  if (program === undefined) {
    return failed('ripgrep was not found; install it (the program rg), or use grep or find in the terminal');
  }
  await using held = await SearchRoot.hold(root);
  // Whoever agreed to a search in such a place agreed to what is in it.
  const isAgreed = mayHoldLogin(root);
  const isKept = (path: string): boolean => deps.workspace.isSecret(path) || (!isAgreed && mayHoldLogin(path));
  const hits = new SearchHits(root, request, isKept);
  const over = new AbortController();
  const limit = stopAfter(timeLimitMs, over, deps.clock);
  const args = [...ripgrepArgs(request, hits.typeGlob), '--', held.word];
  const stop = AbortSignal.any([signal, over.signal]);
  const onLine = (line: string): 'go-on' | 'enough' => hits.add(held.named(line));
  const { folder, files } = held;
  const result = await runRipgrep({
    program,
    args,
    environment: deps.environment,
    folder,
    files,
    signal: stop,
    onLine,
  });
  const wasCutShort = over.signal.aborted;
  over.abort();
  await limit;
  if (signal.aborted) return { type: 'interrupted' };
  // Where it cannot be held, the results mean nothing once a link has taken its place.
  if (realPath(root) !== root) return failed(`${root} was moved meanwhile; search again`);
  const { unread, failure } = sortComplaints(result);
  if (failure !== undefined && hits.count === 0) return failed(failure);
  for (const place of unread) hits.addUnread(held.named(place));
  await hits.keepTrue((rows) => findTrueLines(rows, signal));
  return done(hits.describe(wasCutShort ? 'cut-short' : 'complete'));
}

async function stopAfter(ms: number, over: AbortController, clock: Clock): Promise<void> {
  try {
    await clock.sleep(ms, over.signal);
    over.abort();
  } catch {
    // The search ended first, which ends this wait.
    return;
  }
}

function ripgrepArgs(request: SearchRequest, typeGlob: string | undefined): readonly string[] {
  // A type, unlike a glob, does not bring back what .gitignore leaves out.
  const type = typeGlob === undefined ? [] : [`--type-add=wanted:${typeGlob}`, '--type=wanted'];
  const always = ['--no-config', '--no-require-git', '--color=never', ...type];
  if (request.target === 'files') return [...always, '--files', '--sortr=modified'];
  const columns = [`--max-columns=${longestColumns}`, '--max-columns-preview'];
  const layout = ['--line-number', '--with-filename', '--null', '--no-heading', '--sort=path', ...columns];
  return [
    ...always,
    ...layout,
    '--engine=auto',
    `--context=${Math.min(Math.max(0, request.context ?? 0), mostContext)}`,
    `--regexp=${request.pattern}`,
  ];
}

export interface Complaints {
  /** What it could not look into, as it names them. */
  readonly unread: readonly string[];
  /** Why there was no search at all. */
  readonly failure: string | undefined;
}

/** What the search program complained of. A file that cannot be read hides no match in others, and is not passed over in silence. Pure. */
export function sortComplaints({ code, errors }: RipgrepResult): Complaints {
  // What stands behind the last line end was cut off.
  const lines = errors.split('\n').slice(0, -1);
  const places = lines.map((line) => /^rg: (.+?): .*\(os error (\d+)\)$/.exec(line));
  const unread = places.flatMap((found) => (found === null || found[2] === goneMeanwhile ? [] : [found[1] ?? '']));
  const rest = lines.filter((_, index) => places[index] === null).join('\n');
  const isFailure = code === 2 && (rest !== '' || lines.length === 0);
  return { unread, failure: isFailure ? explainFailure(rest) : undefined };
}

// ENOENT: files come and go.
const goneMeanwhile = '2';

function explainFailure(errors: string): string {
  const detail = cut(errors.replaceAll(/^~+$/gm, '').trim(), 1200);
  if (/regex|PCRE2|not allowed in a regex/.test(detail))
    return `the pattern is not a valid regular expression: ${detail}`;
  return `the search failed: ${detail}`;
}
