import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describeError } from '../../base/errors.ts';
import { installCommand } from '../install-command.ts';
import { findProgram } from '../shell/system-program.ts';
import { closedArguments, defaultSignals, namespaceArguments } from './namespace-arguments.ts';

export type SandboxReport =
  | {
      readonly type: 'available';
      readonly version: string;
      /** The path of bubblewrap. */
      readonly program: string;
      /** Whether a command can make further user namespaces inside. */
      readonly userNamespaces: 'closed' | 'open';
      /** Whether a command that is to end is asked first. */
      readonly ending: 'asked' | 'at-once';
    }
  /** `fix` is the command that mends it, where one does. */
  | { readonly type: 'missing'; readonly reason: string; readonly fix: string | undefined };

const run = promisify(execFile);
const timeoutMs = 10_000;

/** Whether commands can be set apart from the system here, found out by doing it. Takes a few hundredths of a second. */
export async function probeSandbox(path = process.env['PATH'] ?? ''): Promise<SandboxReport> {
  if (process.platform !== 'linux') return onOtherSystem;
  const program = findProgram('bwrap', path);
  if (program === undefined) {
    const fix = installCommand({ name: 'bubblewrap' });
    return { type: 'missing', reason: 'the program bwrap is not installed', fix };
  }
  try {
    const version = await readVersion(program);
    await tryIn(program, []);
    const [closed, asked] = await Promise.all([
      succeeds(program, closedArguments),
      succeeds(program, [], defaultSignals),
    ]);
    const userNamespaces = closed ? 'closed' : 'open';
    return { type: 'available', version, program, userNamespaces, ending: asked ? 'asked' : 'at-once' };
  } catch (thrown) {
    return explainRefusal(thrown);
  }
}

async function readVersion(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version'], { timeout: timeoutMs });
  return stdout.trim().replace(/^bubblewrap /, '');
}

async function tryIn(program: string, further: readonly string[], before: readonly string[] = []): Promise<void> {
  const view = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
  await run(program, [...namespaceArguments, ...further, ...view, '--', ...before, 'true'], { timeout: timeoutMs });
}

async function succeeds(program: string, further: readonly string[], before?: readonly string[]): Promise<boolean> {
  return await tryIn(program, further, before).then(
    () => true,
    () => false,
  );
}

const onOtherSystem: SandboxReport = {
  type: 'missing',
  reason: 'bubblewrap is for Linux alone',
  fix: undefined,
};

/** What keeps bubblewrap from its work is nearly always a setting of the kernel, and each has its own remedy. */
function explainRefusal(thrown: unknown): SandboxReport {
  const said = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr).trim() : '';
  const reason = said === '' ? describeError(thrown) : said.replaceAll(/\s*\n\s*/g, '; ');
  const cause = findCause();
  return { type: 'missing', reason: cause === undefined ? reason : `${cause.what} (${reason})`, fix: cause?.fix };
}

function findCause(): { readonly what: string; readonly fix: string | undefined } | undefined {
  const root = process.getuid?.() === 0 ? '' : 'sudo ';
  const set = (setting: string): string => `${root}sysctl -w ${setting}`;
  const what = 'user namespaces are switched off';
  if (readNumber('/proc/sys/user/max_user_namespaces') === 0)
    return { what, fix: set('user.max_user_namespaces=15000') };
  if (readNumber('/proc/sys/kernel/unprivileged_userns_clone') === 0) {
    return { what, fix: set('kernel.unprivileged_userns_clone=1') };
  }
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) {
    return { what: 'the container allows no namespaces inside it', fix: undefined };
  }
  if (readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1) {
    const fix = set('kernel.apparmor_restrict_unprivileged_userns=0');
    return { what: 'AppArmor keeps user namespaces from programs without a profile', fix };
  }
  return undefined;
}

function readNumber(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // this kernel has no such setting
  }
}
