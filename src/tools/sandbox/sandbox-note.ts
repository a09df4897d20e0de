import type { CommandResult } from '../shell/run-command.ts';

// What programs say when they may not write, see or reach something. Pipes hide how they ended, so that their words count.
const barred = new RegExp(
  [
    'read-only file system|\\bEROFS\\b|permission denied|\\bEACCES\\b|operation not permitted|\\bEPERM\\b',
    'network is unreachable|\\bENETUNREACH\\b|name or service not known|temporary failure in name resolution',
    '(?:could not|couldn.t|cannot|failed to|unable to) (?:resolve|connect|reach|look ?up)|no such host|name resolution',
    '\\bENOTFOUND\\b|\\bEAI_AGAIN\\b|\\bECONNREFUSED\\b|connection refused',
  ].join('|'),
  'i',
);
const missed = /no such file or directory|\bENOENT\b|not found/i;
const lookedAt = 4000;

/** What there is to say about the sandbox. */
export interface SandboxAccount {
  /** What it is. */
  readonly limits: string;
  /** What the command named that is something else in it. */
  readonly difference: string | undefined;
}

/**
 * What the model is told about the sandbox after a command that it may have stopped or misled; undefined where it most
 * likely has not. Pure.
 */
export function noteSandbox({ ending, output }: CommandResult, account: SandboxAccount): string | undefined {
  const { limits, difference } = account;
  const code = ending.type === 'exited' ? ending.code : 0;
  const end = output.slice(-lookedAt);
  // Searches and comparisons end with 1 in silence, too.
  const isFailed = code !== 0 && (missed.test(end) || (end === '' && code !== 1));
  const isStopped = isFailed || barred.test(end);
  if (!isStopped && difference === undefined) return undefined;
  const what = isStopped || difference === undefined ? limits : `${difference}; ${limits}`;
  return `this ran in the sandbox: ${what}. If that is in the way, call again with outside: true; the user is asked`;
}
