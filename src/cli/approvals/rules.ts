import { AppError } from '../../base/errors.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';

/** What was allowed for good. */
export const listRules: CommandFunction = async (args, deps) => {
  const { stdout } = deps.process;
  const rules = (await deps.openConsent()).rules.list();
  const dated = rules.map(({ id, shown, by, since }) => ({ id, shown, by, since: new Date(since).toISOString() }));
  if (args.has('json')) stdout.write(`${JSON.stringify({ ok: true, rules: dated })}\n`);
  else if (dated.length === 0) stdout.write('Nothing is allowed for good.\n');
  else {
    const lines = dated.map(({ id, shown, by, since }) => `${id}  ${since.slice(0, 10)}  ${by}  ${shown}`);
    stdout.write(`${neutralise(lines.join('\n'))}\n`);
  }
  return exitCodes.done;
};

export const revokeRules: CommandFunction = async (args, deps) => {
  const { rules } = await deps.openConsent();
  const known = rules.list().map(({ id }) => id);
  // All are found before the first is taken back: one that may mean several takes back nothing.
  const ids = args.has('all') ? known : [...new Set(args.words.map((written) => idMeant(written, known)))];
  if (ids.length === 0 && !args.has('all')) throw new AppError('bad-usage', 'name what to take back, or say --all');
  const missing: string[] = [];
  for (const id of ids) if (!(await rules.remove(id))) missing.push(id);
  const gone = ids.length - missing.length;
  if (gone > 0) deps.process.stdout.write(`${gone === 1 ? 'One rule is' : `${gone} rules are`} taken back.\n`);
  else if (missing.length === 0) deps.process.stdout.write('Nothing is allowed for good.\n');
  if (missing.length === 0) return exitCodes.done;
  deps.process.stderr.write(
    neutralise(`talaria: there is no rule ${missing.join(', ')}; see talaria approvals list\n`),
  );
  return exitCodes.failed;
};

/** The beginning or the end of an id is enough while only one has it; what none has is returned as it was written. */
function idMeant(written: string, known: readonly string[]): string {
  const wish = written.toLowerCase();
  if (wish === '' || known.includes(wish)) return wish;
  const fitting = known.filter((id) => id.startsWith(wish) || id.endsWith(wish));
  if (fitting.length > 1)
    throw new AppError('bad-usage', `several rules are meant by ${written}: ${fitting.join(', ')}`);
  return fitting[0] ?? written;
}
