import type { SessionId, TurnId } from '../base/ids.ts';
import type { Checkpoint, FileChange, Rollback } from '../model/file-history.ts';
import { partsToText } from '../model/message.ts';
import type { NewSession, Store } from '../model/store.ts';
import type { CommandDeps, CommandOutcome } from './command-deps.ts';
import { describeTime } from './describe-wait.ts';

const usage = 'Say it like this: /rollback, /rollback 2, /rollback list, /rollback show 2, or with --force at the end.';
const nothing = 'Nothing is kept here: no turn of this session wrote a file with write_file or patch.';
const notCovered = 'What commands in the terminal changed is not covered.';
const longestQuote = 40;
const mostFiles = 30;
const mostListed = 20;

/** Puts back the files that turns wrote, or says what that would do. */
export async function runRollback(rest: string, where: NewSession, deps: CommandDeps): Promise<CommandOutcome> {
  const wish = readWish(rest);
  if (wish === undefined) return usage;
  const { id } = await deps.store.sessions.at(where);
  const checkpoints = await deps.checkpoints.list(id);
  if (checkpoints.length === 0) return `${nothing} ${notCovered}`;
  const last = checkpoints.length;
  if (wish.number > last)
    return `There ${last === 1 ? 'is only one' : `are only ${last}`} to go back by: /rollback list.`;
  if (wish.type === 'list') return { type: 'listing', reply: await describeList(id, checkpoints, deps) };
  if (wish.counts === 'from-list' && deps.shownCheckpoints.isOld(id, checkpoints)) {
    const why = `Nothing was touched: the list has changed since you saw it, and ${wish.number} may mean something else now.`;
    return { type: 'listing', reply: `${why}\n${await describeList(id, checkpoints, deps)}` };
  }
  if (wish.type === 'show') return describeRollback(await deps.checkpoints.look(id, wish.number), wish.number);
  if (deps.lanes.isBusy(id)) return 'A turn is running here. /stop it first, then /rollback.';
  return describeRollback(await deps.checkpoints.rollBack(id, wish.number, wish.how), wish.number);
}

type Wish =
  | { readonly type: 'list'; readonly number: number }
  | (Counted & { readonly type: 'show' })
  | (Counted & { readonly type: 'act'; readonly how: 'careful' | 'forced' });

/** A number that was said may have been read in a list; without one, the last is meant, whichever that is. */
interface Counted {
  readonly number: number;
  readonly counts: 'from-list' | 'from-last';
}

const wishes = /^(?<verb>list|show)?\s*(?<digits>\d{1,4})?\s*(?<force>--force)?$/i;

/** Undefined where nobody could say what is meant. */
function readWish(rest: string): Wish | undefined {
  const found = wishes.exec(rest)?.groups;
  if (found === undefined) return undefined;
  const { verb, digits, force } = found as Readonly<Record<string, string | undefined>>;
  const number = Number(digits ?? 1);
  const counts = digits === undefined ? 'from-last' : 'from-list';
  if (number === 0 || (verb !== undefined && force !== undefined)) return undefined;
  switch (verb?.toLowerCase()) {
    case 'list':
      return digits === undefined ? { type: 'list', number } : undefined;
    case 'show':
      return { type: 'show', number, counts };
    case undefined:
      return { type: 'act', number, counts, how: force === undefined ? 'careful' : 'forced' };
  }
  return undefined;
}

async function describeList(
  sessionId: SessionId,
  checkpoints: readonly Checkpoint[],
  { store, clock, shownCheckpoints }: CommandDeps,
): Promise<string> {
  shownCheckpoints.note(sessionId, checkpoints);
  const said = await readMessages(sessionId, store);
  const rows = checkpoints.slice(0, mostListed).map(({ number, at, kind, files }) => {
    const what = kind.type === 'turn' ? `“${said.get(kind.turnId) ?? '…'}”` : describeOwn(kind.state);
    return `${number}  ${describeTime(clock.now() - at)} ago  ${files === 1 ? '1 file' : `${files} files`}  ${what}`;
  });
  const more = checkpoints.length > rows.length ? [`… and ${checkpoints.length - rows.length} older ones`] : [];
  return [...rows, ...more, `/rollback N puts files back to before that. ${notCovered}`].join('\n');
}

function describeOwn(state: 'done' | 'cut-short'): string {
  return state === 'done' ? 'a rollback' : 'a rollback that was cut short: /rollback finishes it';
}

/** What each turn was about, as its sender said it. */
async function readMessages(sessionId: SessionId, { turns }: Store): Promise<ReadonlyMap<TurnId, string>> {
  const log = await turns.after(sessionId, 0);
  return new Map(
    log.flatMap(({ turnId, entry }) => (entry.type === 'turn.admitted' ? [[turnId, quote(entry.parts)] as const] : [])),
  );
}

function quote(parts: Parameters<typeof partsToText>[0]): string {
  const text = partsToText(parts).replaceAll(/\s+/g, ' ');
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote).toWellFormed()}…`;
}

function describeRollback(rollback: Rollback, number: number): string {
  if (rollback.type === 'none') return nothing;
  const isPlan = rollback.type === 'refused' || rollback.type === 'planned';
  const files = describeChanges(rollback.changes, isPlan ? plannedVerbs : verbs);
  const argument = number === 1 ? '' : ` ${number}`;
  switch (rollback.type) {
    case 'refused':
      return `Nothing was touched: some files were changed since, by someone else or by a command.\n${files}\n/rollback${argument} --force puts them back all the same.`;
    case 'planned':
      return `/rollback${argument} would do this:\n${files}\n${notCovered}`;
    case 'finished':
      return `The rollback that was cut short is finished.\n${files}\n/rollback takes it back. ${notCovered}`;
    case 'done':
      return rollback.changes.some(({ type }) => type === 'put-back' || type === 'removed')
        ? `Back to before ${number === 1 ? 'the last turn' : `the last ${number}`}.\n${files}\n/rollback takes this back. ${notCovered}`
        : `There was nothing to put back.\n${files}\n${notCovered}`;
  }
}

const verbs: Readonly<Record<FileChange['type'], string>> = {
  'put-back': 'put back',
  removed: 'removed (it was not there)',
  'as-it-was': 'is as it was',
  'changed-since': 'changed since by someone else',
  'not-kept': 'was not kept',
  failed: 'could not be put back',
};

/** Where nothing was done yet. */
const plannedVerbs: typeof verbs = {
  ...verbs,
  'put-back': 'would be put back',
  removed: 'would be removed (it was not there)',
};

function describeChanges(changes: readonly FileChange[], words: typeof verbs): string {
  const lines = changes.slice(0, mostFiles).map(({ path, type, reason }) => {
    return `  ${path}: ${words[type]}${reason === undefined ? '' : ` (${reason})`}`;
  });
  const missing = changes.length - lines.length;
  return [...lines, ...(missing === 0 ? [] : [`  … and ${missing} more`])].join('\n');
}
