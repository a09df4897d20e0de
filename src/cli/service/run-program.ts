import { systemErrorCode } from '../../base/errors.ts';

export type ProgramEnd =
  | { readonly type: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** There is no such program here. */
  | { readonly type: 'missing' };

/** Runs a program of the system to its end. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<ProgramEnd>;

export function createRunProgram(env: Readonly<Record<string, string | undefined>>): RunProgram {
  return async (program, args) => {
    const { execFile } = await import('node:child_process');
    return await new Promise((resolve, reject) => {
      execFile(program, [...args], { env, encoding: 'utf8' }, (error, stdout, stderr) => {
        if (systemErrorCode(error) === 'ENOENT') return resolve({ type: 'missing' });
        if (error !== null && typeof error.code !== 'number') return reject(error);
        resolve({ type: 'ended', code: Number(error?.code ?? 0), stdout, stderr });
      });
    });
  };
}
