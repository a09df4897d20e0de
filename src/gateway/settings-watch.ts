import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { sleepUnless } from '../base/sleep-unless.ts';
import type { Inbound } from '../model/channel.ts';
import type { Address } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { Tellings } from './tellings.ts';
import { BrokenEdit } from './broken-edit.ts';
import { decideAccess, isLetIn } from './access.ts';
import type { Access, AccessDeps } from './access.ts';
import { LostAccess } from './shut-out.ts';
import type { StopDeps } from './shut-out.ts';

export interface SettingsWatchDeps extends AccessDeps, StopDeps {
  readonly settings: Settings;
  readonly store: AccessDeps['store'] & StopDeps['store'];
  readonly tellings: Pick<Tellings, 'tell'>;
  /** Tells whoever looks after the program. */
  readonly announce: (text: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const lookEveryMs = 5_000;

/** Takes over edits of the settings, and with each of them ends what those have running whom it shut out. */
export class SettingsWatch {
  readonly #deps: SettingsWatchDeps;
  readonly #lostAccess: LostAccess;
  /** What was found wrong and nobody was told yet. It stays, whatever else fails, until someone is. */
  #untold: readonly string[] = [];
  /** What is wrong with the file as it is now. Every chat that says something is told. */
  #broken: BrokenEdit | undefined;

  constructor(deps: SettingsWatchDeps) {
    this.#deps = deps;
    this.#lostAccess = new LostAccess(deps);
  }

  /** The same for everything that arrives: messages, edits, buttons and commands. */
  async judge(inbound: Inbound): Promise<Access> {
    if (inbound.address.platform === 'terminal') return decideAccess(inbound, 'stranger');
    await this.#takeUp();
    const access = decideAccess(inbound, (await isLetIn(inbound.person, this.#deps)) ? 'let-in' : 'stranger');
    this.#passOn(access.type === 'granted' ? inbound.address : undefined);
    return access;
  }

  /** Takes over an edit; what is wrong with it is told at the address, once at each, or else to whoever runs the program. */
  async look(address?: Address): Promise<void> {
    await this.#takeUp();
    this.#passOn(address);
  }

  /** For an address where the file was just read by whoever came there: what is wrong with it need not be told. */
  async noteRead(address: Address): Promise<void> {
    await this.#takeUp();
    this.#broken?.newsFor(address);
  }

  /**
   * Looks again and again while something runs, so that whoever was shut out has it stopped though nobody says anything. What
   * is wrong with an edit waits for someone to be told.
   */
  async keepLooking(isAtWork: () => boolean, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (;;) {
      const rest = await sleepUnless(clock, lookEveryMs, signal);
      if (rest === 'stopped') return;
      if (!isAtWork()) continue;
      try {
        await this.#takeUp();
      } catch (thrown) {
        log.write('error', 'the settings were not looked at', { reason: describeError(thrown) });
      }
    }
  }

  async #takeUp(): Promise<void> {
    const { settings, log } = this.#deps;
    const before = settings.current;
    const found = await settings.refresh();
    this.#untold = [...this.#untold, ...found];
    const isBroken = found.length > 0 && settings.current === before;
    if (isBroken) this.#broken = new BrokenEdit(found, before);
    else if (this.#broken?.isMended(settings.current) === true) this.#broken = undefined;
    // Nobody else's message is lost over this; the next look tries again.
    await this.#lostAccess.stopTurns().catch((thrown: unknown) => {
      log.write('error', 'a turn was not stopped', { reason: describeError(thrown) });
    });
  }

  #passOn(address: Address | undefined): void {
    const { log, announce, tellings } = this.#deps;
    const problems = this.#untold;
    this.#untold = [];
    for (const problem of problems) {
      log.write('warn', problem);
      if (address === undefined) void announce(problem);
    }
    if (address === undefined) return;
    const passing = problems.filter((problem) => this.#broken?.includes(problem) !== true);
    for (const problem of [...passing, ...(this.#broken?.newsFor(address) ?? [])]) tellings.tell(address, problem);
  }
}
