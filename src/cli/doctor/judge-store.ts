import { describeBytes } from '../../base/describe-bytes.ts';
import type { StoreState } from '../../model/health.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { Finding } from './finding.ts';

/** Pure. */
export function judgeStore(state: StoreState): readonly Finding[] {
  const name = 'database';
  switch (state.type) {
    case 'none':
      return [{ level: 'note', name, text: 'there is none yet; the first chat makes it' }];
    case 'held':
      return [{ level: 'fine', name, text: `${describeBytes(state.bytes)}, in use, and not looked into meanwhile` }];
    case 'unreadable':
      return [{ level: 'broken', name, text: state.problem }];
    case 'unchecked':
      return [{ level: 'note', name, text: `${describeBytes(state.bytes)}, not looked into: ${state.reason}` }];
    case 'damaged':
      return [judgeDamage(state)];
    case 'sound':
      return [{ level: 'fine', name, text: `${describeBytes(state.bytes)}, every page in order` }, judgeSchema(state)];
  }
}

/** The log and the index go with it: what they hold belongs to the damaged file. */
function judgeDamage({ problem, folder, backup }: Extract<StoreState, { type: 'damaged' }>): Finding {
  const setAside = `cd ${quoteForShell(folder)} && mkdir damaged && mv talaria.db* damaged/`;
  return {
    level: 'broken',
    name: 'database',
    text: `damaged (${problem}); ${backup === undefined ? 'there is no backup, and without it a start begins anew' : `the newest backup is ${backup}`}`,
    fix: backup === undefined ? setAside : `${setAside} && cp ${quoteForShell(backup)} talaria.db`,
  };
}

function judgeSchema({ version, newestVersion }: Extract<StoreState, { type: 'sound' }>): Finding {
  const name = 'schema';
  if (version === newestVersion) return { level: 'fine', name, text: `version ${version}` };
  if (version < newestVersion) {
    const text = `version ${version}; the next start keeps a copy and brings it to ${newestVersion}`;
    return { level: 'note', name, text };
  }
  const text = `version ${version} belongs to a newer program; this one knows ${newestVersion}`;
  return { level: 'broken', name, text, fix: 'npm install -g talaria-agent@latest' };
}
