import { describeError } from '../../base/errors.ts';
import { textPart } from '../../model/message.ts';
import type { EarlyEnd, ToolOutcome } from '../../model/message.ts';
import { done, failed } from '../tool-outcomes.ts';
import { earlyEnd } from './early-end.ts';
import { explainExit } from './explain-exit.ts';
import type { CommandResult } from './run-command.ts';

const lastSeenLength = 500;

/** What there is to say about a command beside its result. */
export interface CommandAccount {
  readonly command: string;
  readonly workdir: string;
  /** Where it would have run if the folder were still there. */
  readonly recorded: string;
  readonly timeoutMs: number;
  /** By which it was ended, where it was: it says by whom. */
  readonly signal: AbortSignal;
  /** What is to be known about where it ran, given its result. */
  readonly placeNote: (result: CommandResult) => string | undefined;
}

/** A result as the model reads it. */
export async function describeResult(result: CommandResult, account: CommandAccount): Promise<ToolOutcome> {
  const { ending } = result;
  if (ending.type === 'not-started') return failed(`the command could not be started: ${describeError(ending.error)}`);
  if (ending.type === 'left') return { type: 'interrupted' };
  if (ending.type === 'stopped' && result.output === '') return { type: 'interrupted' };
  const output = result.output.replace(/\n+$/, '');
  if (ending.type === 'lost') return { type: 'unknown', lastSeen: describeLoss(output) };
  const { workdir, recorded } = account;
  const notes: string[] = [];
  if (recorded !== workdir) notes.push(`[the folder ${recorded} is gone; this ran in ${workdir}]`);
  if (result.isCut) notes.push('[a part of the output could not be kept]');
  if (result.lostState !== undefined) notes.push(`[folder and variables were not kept: ${result.lostState}]`);
  const placeNote = account.placeNote(result);
  if (placeNote !== undefined) notes.push(`[${placeNote}]`);
  // How it ended stands last: by that a failure is told from what a command merely printed.
  if (ending.type === 'timed-out') notes.push(`[timed out after ${account.timeoutMs / 1000} s]`, '[exit code 124]');
  const ended = ending.type === 'stopped' ? earlyEnd(account.signal) : undefined;
  if (ended !== undefined) notes.push(earlyEndNotes[ended]);
  if (ending.type === 'exited' && ending.code !== 0) notes.push(await describeExit(account.command, ending.code));
  if (output === '' && notes.length === 0) return done('[no output]');
  const text = [...(output === '' ? [] : [output]), ...notes].join('\n');
  return ended === undefined ? done(text) : { type: 'done', parts: [textPart(text)], ended };
}

const earlyEndNotes: Readonly<Record<EarlyEnd, string>> = {
  stopped: '[stopped by the user, exit code 130]',
  'put-aside': '[stopped by the program when it put the turn aside, exit code 130]',
};

function describeLoss(output: string): string {
  const begun = 'terminal had started, and what waited for it has died';
  return output === '' ? begun : `${begun}; the end of its output: ${output.slice(-lastSeenLength).toWellFormed()}`;
}

async function describeExit(command: string, code: number): Promise<string> {
  const meaning = await explainExit(command, code);
  return meaning === undefined ? `[exit code ${code}]` : `[exit code ${code}: ${meaning}]`;
}
