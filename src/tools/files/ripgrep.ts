import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The ripgrep that came with us, or one on the path, or undefined. */
export async function findRipgrep(searchPath: string, findBundled = bundledRipgrep): Promise<string | undefined> {
  const candidates = [await findBundled(), ...searchPath.split(delimiter).map((folder) => join(folder, 'rg'))];
  for (const candidate of candidates) {
    if (candidate !== undefined && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

/** The package throws on platforms that it has no binary for. */
async function bundledRipgrep(): Promise<string | undefined> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return undefined;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where it is started; left out: where we are. */
  readonly folder?: string | undefined;
  /** Open files that it is given, from number 3 on. */
  readonly files?: readonly number[];
  /** Ends the search; what was found by then has been passed on. */
  readonly signal: AbortSignal;
  /** Takes one line of output and says whether more are wanted. */
  readonly onLine: (line: string) => 'go-on' | 'enough';
}

export interface RipgrepResult {
  readonly code: number | null;
  readonly errors: string;
}

const longestErrors = 4000;

/** Runs ripgrep and hands over its output line by line. Resolves when the process is gone. */
export function runRipgrep(run: RipgrepRun): Promise<RipgrepResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(run.program, run.args, {
      cwd: run.folder,
      env: run.environment,
      stdio: ['ignore', 'pipe', 'pipe', ...(run.files ?? [])],
    });
    const stop = (): void => void child.kill('SIGKILL');
    run.signal.addEventListener('abort', stop, { once: true });
    if (run.signal.aborted) stop();
    let rest = '';
    let wanted: 'go-on' | 'enough' = 'go-on';
    let errors = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (wanted === 'go-on') wanted = run.onLine(line);
      }
      if (wanted === 'enough') stop();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(0, longestErrors);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', stop);
      resolve({ code, errors });
    });
  });
}
