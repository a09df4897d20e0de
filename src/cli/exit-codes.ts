import { AppError } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { TurnResult } from '../model/turn.ts';
import type { StopSignal } from './app-port.ts';
import { describePathProblem } from './path-problem.ts';

/** What the program tells the shell. The numbers above 64 follow sysexits(3) and the signals. */
export const exitCodes = {
  done: 0,
  failed: 1,
  badUsage: 2,
  notRunning: 3,
  wouldAsk: 4,
  wouldRefuse: 5,
  unusableStore: 65,
  gatewayGone: 69,
  internal: 70,
  alreadyRunning: 75,
  notConfigured: 78,
  restarting: 85,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export const exitCodeTexts: readonly (readonly [number, string])[] = [
  [exitCodes.done, 'the turn was answered, or the command did what it was asked'],
  [exitCodes.failed, 'the turn failed or was put aside, or what was named does not exist or cannot be used'],
  [exitCodes.badUsage, 'the command line is wrong'],
  [exitCodes.notRunning, 'of `gateway status`: no gateway runs'],
  [exitCodes.wouldAsk, 'of `approvals test`: the command would be asked about'],
  [exitCodes.wouldRefuse, 'of `approvals test`: the command would be refused'],
  [exitCodes.unusableStore, 'what is stored is damaged, or belongs to a newer version of the program'],
  [exitCodes.gatewayGone, 'the gateway that this was attached to ended, and did not come back'],
  [exitCodes.internal, 'the storage or the program itself failed'],
  [
    exitCodes.alreadyRunning,
    'Talaria is already running on this home, or its gateway is being stopped: try again later',
  ],
  [exitCodes.notConfigured, 'no usable model, or unusable settings'],
  [exitCodes.restarting, 'of the gateway: it was asked to restart, and whoever keeps it is to start it again'],
  [exitCodes.hungUp, 'the terminal went away (SIGHUP); the turn can be continued'],
  [exitCodes.interrupted, 'stopped with Ctrl-C (SIGINT)'],
  [exitCodes.terminated, 'ended by SIGTERM; the turn can be continued'],
];

export function exitCodeOfError(thrown: unknown): number {
  if (thrown instanceof AppError) return codesOfErrors[thrown.code];
  return describePathProblem(thrown) === undefined ? exitCodes.internal : exitCodes.failed;
}

const codesOfErrors: Readonly<Record<ErrorCode, number>> = {
  'already-running': exitCodes.alreadyRunning,
  'bad-config': exitCodes.notConfigured,
  'bad-usage': exitCodes.badUsage,
  'corrupt-store': exitCodes.unusableStore,
  'disk-full': exitCodes.internal,
  fenced: exitCodes.internal,
  'gateway-gone': exitCodes.gatewayGone,
  'gateway-stopping': exitCodes.alreadyRunning,
  'newer-schema': exitCodes.unusableStore,
  'no-model': exitCodes.notConfigured,
  'no-progress': exitCodes.internal,
  'not-found': exitCodes.failed,
  'session-busy': exitCodes.failed,
  'store-busy': exitCodes.internal,
  'store-closed': exitCodes.internal,
  'store-failed': exitCodes.internal,
  'unsafe-home': exitCodes.notConfigured,
  unsupported: exitCodes.internal,
};

export function exitCodeOfResult(result: TurnResult): number {
  switch (result.type) {
    case 'replied':
      return exitCodes.done;
    case 'interrupted':
      return exitCodes.interrupted;
    case 'failed':
    case 'parked':
      return exitCodes.failed;
  }
}

export function exitCodeOfSignal(signal: StopSignal): number {
  switch (signal) {
    case 'SIGINT':
      return exitCodes.interrupted;
    case 'SIGTERM':
      return exitCodes.terminated;
    case 'SIGHUP':
      return exitCodes.hungUp;
  }
}
