import type { ToolOutcome } from '../../model/message.ts';
import { describeResult } from '../shell/describe-result.ts';
import type { CommandAccount } from '../shell/describe-result.ts';
import { failed } from '../tool-outcomes.ts';
import type { RemoteResult } from './run-remotely.ts';
import type { Account, Told } from './told.ts';

/** What there is to know about a command beside its result. */
export interface RemoteAccount extends Omit<CommandAccount, 'placeNote'> {
  /** Where it ran. */
  readonly name: string;
  /** The life of that place in which it was sent there. */
  readonly epoch: string | undefined;
  /** Keeps what the command left for the next one, and returns why it could not. */
  readonly keep: (state: Buffer) => string | undefined;
}

/** What became of a command elsewhere, as the model reads it. What cannot be known is never called undone. */
export async function describeRemote(result: RemoteResult, about: RemoteAccount): Promise<ToolOutcome> {
  const account = { ...about, placeNote: () => undefined };
  switch (result.type) {
    case 'left':
      return { type: 'interrupted' };
    case 'unreached':
      return failed(`${result.reason}. The command has not run`);
    case 'out-of-sight':
      return unknown(account, `and is not sent again. ${result.reason}`);
    case 'timed-out':
    case 'stopped': {
      const { output, isCut } = accountOf(result.told);
      return await describeResult({ ending: { type: result.type }, output, isCut, lostState: undefined }, account);
    }
    case 'told':
      return await describeTold(result.told, result.epoch, account);
  }
}

async function describeTold(told: Told, epoch: string, account: RemoteAccount & CommandAccount): Promise<ToolOutcome> {
  const { name } = account;
  const { output, isCut, state } = accountOf(told);
  const kept = { output, isCut, lostState: undefined };
  switch (told.type) {
    case 'exited': {
      const lostState = state === undefined ? undefined : account.keep(state);
      const ending = told.isLate ? ({ type: 'timed-out' } as const) : ({ type: 'exited', code: told.code } as const);
      return await describeResult({ ...kept, ending, lostState }, account);
    }
    case 'lost':
      return await describeResult({ ...kept, ending: { type: 'lost' } }, account);
    case 'begun':
      return failed('this call was begun before, and does not run a second time');
    case 'revoked':
      // After a loss of power, or in another container, what is missing proves nothing.
      if (account.epoch !== epoch) return unknown(account, 'which has been started anew since then');
      return failed(`it had not been begun on ${name} when the connection ended; it has not run`);
    case 'folder':
      // Never in another folder by itself: someone may have agreed to just this one.
      return failed(
        `there is no folder ${account.workdir} on ${name}; the command has not run. Say where with workdir; ${told.folder} exists`,
      );
    case 'failed':
      return failed(`${name}: ${told.reason}. The command has not run`);
    case 'unseen':
    case 'done':
      return unknown(account, 'which does not say what became of it');
  }
}

function unknown({ name }: RemoteAccount, what: string): ToolOutcome {
  return { type: 'unknown', lastSeen: `it had been sent to ${name}, ${what}` };
}

function accountOf(told: Told | undefined): Account {
  const isAccount = told?.type === 'exited' || told?.type === 'lost';
  return isAccount ? told.account : { output: '', isCut: false, state: undefined };
}
