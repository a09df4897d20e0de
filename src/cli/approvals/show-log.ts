import { shortId } from '../../base/ids.ts';
import { localTime } from '../../base/local-time.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readLimit } from '../read-limit.ts';
import { oneLine } from '../render/one-line.ts';
import { readConsents } from './consent-records.ts';
import type { ConsentRecord } from './consent-records.ts';

const longestQuestion = 200;

/** Who allowed what, and when. */
export const showConsentLog: CommandFunction = async (args, deps) => {
  const limit = readLimit(args);
  const { stdout, stderr } = deps.process;
  await using app = await deps.openApp({ purpose: 'look' });
  const records = await readConsents(limit, app.store.turns);
  const dated = records.map((record) => ({ ...record, at: new Date(record.at).toISOString() }));
  if (args.has('json')) stdout.write(`${JSON.stringify({ ok: true, approvals: dated })}\n`);
  else if (records.length === 0) stderr.write('Nothing was asked yet.\n');
  else stdout.write(`${records.map(renderRecord).join('\n')}\n`);
  return exitCodes.done;
};

function renderRecord(record: ConsentRecord): string {
  const at = localTime(record.at);
  const who = record.by ?? '-';
  return `${at}  ${shortId(record.session)}  ${who}  ${describe(record)}  ${oneLine(record.question, longestQuestion)}`;
}

function describe({ verdict, rule, scope, covers, by }: ConsentRecord): string {
  if (verdict === 'open') return 'not answered yet';
  if (verdict === 'stopped') return 'stopped';
  if (rule === 'timeout') return 'denied by silence';
  if (by === null) return 'denied: nobody could be asked';
  if (rule === 'yolo') return 'allowed by /yolo';
  if (rule === 'yes') return 'allowed by --yes';
  const about = covers === undefined ? '' : ` [${oneLine(covers, longestQuestion)}]`;
  if (rule !== undefined) return `allowed by an earlier word: ${rule}${about}`;
  if (verdict === 'denied') return 'denied';
  return scope === undefined ? 'allowed once' : `allowed: ${scope}${about}`;
}
