import type { Inbound } from '../model/channel.ts';
import type { PendingApprovals } from './approvals.ts';
import type { CommandDeps } from './command-deps.ts';
import { createCommandRunner } from './commands.ts';
import { findEnd } from './find-end.ts';
import type { EndDeps } from './find-end.ts';
import type { IntakeDeps } from './intake.ts';
import type { Lanes } from './lanes.ts';
import type { PendingQuestions } from './questions.ts';
import { busyModeOf } from './talk-commands.ts';
import { createWaysIn } from './ways-in.ts';

export interface DeskDeps extends CommandDeps, Pick<IntakeDeps, 'access' | 'onRenewed' | 'faults'> {
  readonly lanes: Lanes;
  readonly approvals: PendingApprovals;
  readonly questions: PendingQuestions;
  readonly toolbox: CommandDeps['toolbox'] & EndDeps['toolbox'];
  /** Takes over what changed in the settings, before a command runs. */
  readonly lookAtSettings: (speaker: Pick<Inbound, 'address' | 'person'>) => Promise<void>;
}

/** All that taking in a message needs. */
export function openDesk(deps: DeskDeps): IntakeDeps {
  const { store, lanes, approvals, questions, signals, wake, clock, faults, settings } = deps;
  const run = createCommandRunner(deps);
  return {
    ...createWaysIn({ store, clock, log: deps.log }),
    access: deps.access,
    async commands(command, from) {
      await deps.lookAtSettings(from);
      return await run(command, from);
    },
    busyMode: (session) => busyModeOf(session, settings.current.config),
    findEnd: (session) => findEnd(session, deps),
    resetSettings: () => settings.current.config.sessionReset,
    onRenewed: deps.onRenewed,
    store,
    lanes,
    approvals,
    questions,
    signals,
    wake,
    clock,
    faults,
  };
}
