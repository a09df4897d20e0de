import { constants } from 'node:os';

/** What `systemctl show` is asked for, and `describeTrouble` reads. */
export const troubleProperties = 'ActiveState,SubState,Result,ExecMainCode,ExecMainStatus';

// What systemd itself ends with where it cannot run the program: EXIT_EXEC in systemd.exec(5).
const notExecutable = 203;
// The codes of waitid(2): 0 where nothing ran, and above this kinds of signals.
const exited = 1;

/** What went wrong with a unit, and whether systemd tries again; undefined where nothing did. Pure. */
export function describeTrouble(shown: string): string | undefined {
  const properties = new Map(shown.split('\n').map((line) => splitOnce(line)));
  // Newer versions have a queue of their own for it.
  const isRetried = properties.get('SubState')?.startsWith('auto-restart') === true;
  if (!isRetried && properties.get('ActiveState') !== 'failed') return undefined;
  const next = isRetried ? 'systemd starts it again after a pause' : 'systemd does not try again';
  return `${describeEnd(properties)}; ${next}`;
}

function splitOnce(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}

function describeEnd(properties: ReadonlyMap<string, string>): string {
  const result = properties.get('Result') ?? '';
  const code = Number(properties.get('ExecMainCode'));
  const status = Number(properties.get('ExecMainStatus'));
  if (result === 'oom-kill') return 'it was ended for want of memory';
  if (result === 'timeout') return 'it did not end in time and was killed';
  if (code > exited) return `it was ended by ${nameSignal(status)}`;
  if (code < exited) return `it cannot be started (${result})`;
  if (status === notExecutable)
    return 'its program is not where it was (talaria gateway install writes where it is now)';
  return `it ended with code ${status}`;
}

function nameSignal(number: number): string {
  const found = Object.entries(constants.signals).find(([, each]) => each === number);
  return found === undefined ? `signal ${number}` : found[0];
}
