import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { sleepUnless } from '../base/sleep-unless.ts';
import type { Inbound } from '../model/channel.ts';
import type { Address } from '../model/session.ts';
import type { Settings, SettingsNews } from '../model/settings.ts';
import type { Tellings } from './tellings.ts';
import { decideAccess, isLetIn, isOwnerAlone } from './access.ts';
import type { Access } from './access.ts';
import { EditNews } from './edit-news.ts';
import { LostAccess } from './shut-out.ts';
import type { LostAccessDeps } from './shut-out.ts';

export interface SettingsWatchDeps extends LostAccessDeps {
  readonly settings: Settings;
  readonly tellings: Pick<Tellings, 'tell'>;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
  /** The chat that is told what belongs to no chat. Never rejects. */
  readonly findHomeChat: () => Promise<Address | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

const lookEveryMs = 5_000;

type Speaker = Pick<Inbound, 'address' | 'person'>;

/**
 * Takes over edits of the settings, and with each of them ends what those have running whom it shut out. What people should
 * know about an edit is told once in each chat that an owner has alone, when something is said there, for as long as it is so;
 * in the home chat, which was chosen for it, as soon as anything is said anywhere.
 */
export class SettingsWatch {
  readonly #deps: SettingsWatchDeps;
  readonly #lostAccess: LostAccess;
  #news: readonly EditNews[] = [];
  /** What nobody was told yet. It stays, whatever else fails, until someone is. */
  #untold: readonly EditNews[] = [];

  constructor(deps: SettingsWatchDeps) {
    this.#deps = deps;
    this.#lostAccess = new LostAccess(deps);
  }

  /** The same for everything that arrives: messages, edits, buttons and commands. */
  async judge(inbound: Inbound): Promise<Access> {
    if (inbound.address.platform === 'terminal') return decideAccess(inbound, 'stranger');
    await this.#takeUp();
    const access = decideAccess(inbound, (await isLetIn(inbound.person, this.#deps)) ? 'let-in' : 'stranger');
    await this.#passOn(access.type === 'granted' ? inbound : undefined);
    return access;
  }

  /** Takes over an edit; what is wrong with it is told to the owner who speaks where nobody else reads, or else to whoever runs the program. */
  async look(speaker?: Speaker): Promise<void> {
    await this.#takeUp();
    await this.#passOn(speaker);
  }

  /** What was wrong with the file at the start, which whoever runs the program was told. */
  async noteStart(found: readonly SettingsNews[]): Promise<void> {
    if (found.length === 0) return;
    for (const { text } of found) this.#deps.log.write('warn', text);
    this.#news = [...this.#news, ...found.map((news) => new EditNews(news))];
    await this.#tellHome();
  }

  /** For an address where the file was just read by whoever came there: what is wrong with it need not be told. */
  async noteRead(address: Address): Promise<void> {
    await this.#takeUp();
    for (const news of this.#news) news.isNewsAt(address);
  }

  /**
   * Looks again and again, so that whoever was shut out has stopped what they left running, in the background as well, though
   * nobody says anything. What is wrong with an edit waits for someone to be told.
   */
  async keepLooking(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (;;) {
      const rest = await sleepUnless(clock, lookEveryMs, signal);
      if (rest === 'stopped') return;
      try {
        await this.#takeUp();
      } catch (thrown) {
        log.write('error', 'the settings were not looked at', { reason: describeError(thrown) });
      }
    }
  }

  async #takeUp(): Promise<void> {
    const { settings, log } = this.#deps;
    const found = (await settings.refresh()).map((news) => new EditNews(news));
    for (const { text } of found) log.write('warn', text);
    this.#untold = [...this.#untold, ...found].filter(({ stands }) => stands);
    this.#news = [...this.#news, ...found].filter(({ stands }) => stands);
    // Nobody else's message is lost over this; the next look tries again.
    await this.#lostAccess.stopTurns().catch((thrown: unknown) => {
      log.write('error', 'a turn was not stopped', { reason: describeError(thrown) });
    });
  }

  async #passOn(speaker: Speaker | undefined): Promise<void> {
    if (this.#untold.length === 0 && this.#news.length === 0) return;
    const owner = speaker !== undefined && (await isOwnerAlone(speaker, this.#deps)) ? speaker : undefined;
    const untold = this.#untold;
    this.#untold = [];
    if (owner !== undefined) this.#tellAt(owner.address);
    else for (const { text } of untold) this.#deps.report(text);
    // Whoever else was told: it is what the home chat wished to hear, also one that was chosen since.
    void this.#tellHome();
  }

  async #tellHome(): Promise<void> {
    const home = await this.#deps.findHomeChat();
    if (home !== undefined) this.#tellAt(home);
  }

  #tellAt(address: Address): void {
    for (const news of this.#news)
      if (news.stands && news.isNewsAt(address)) this.#deps.tellings.tell(address, news.text);
  }
}
