import { statSync } from 'node:fs';
import { describeError } from '../../base/errors.ts';
import type { Settings, SettingsChange, SettingsNews } from '../../model/settings.ts';
import { changeConfig, keepAsServed, loadConfig, loadSafeConfig } from './config-file.ts';
import type { LoadedConfig } from './config-file.ts';
import { stampOf } from './file-stamp.ts';
import type { HomeFolder } from './home-folder.ts';

const writingMs = 1000;

/**
 * The settings while the program runs. A file that has not changed costs no more than a look at its date. One that is
 * broken or gone changes nothing: the settings from before stay, and that is said once.
 */
export class LiveSettings implements Settings {
  readonly #home: HomeFolder;
  readonly #start: 'usual' | 'safe';
  #current: LoadedConfig;
  #stamp: string;
  #looking: Promise<unknown> = Promise.resolve();
  /** What a change by the program found beside it, for the next who looks. */
  #unsaid: readonly SettingsNews[] = [];

  private constructor(home: HomeFolder, start: 'usual' | 'safe', current: LoadedConfig, stamp: string) {
    this.#home = home;
    this.#start = start;
    this.#current = current;
    this.#stamp = stamp;
  }

  /**
   * Throws `bad-config` where the file is broken and there never was a good one. A safe start goes by the settings of the
   * last start that served, and does not look at the file at all, however it changes.
   */
  static async open(home: HomeFolder, start: 'usual' | 'safe' = 'usual'): Promise<LiveSettings> {
    // Before it is read: what is written meanwhile is seen by the next look.
    const stamp = stampOfSettings(home);
    const loaded = start === 'safe' ? await loadSafeConfig(home) : await loadConfig(home);
    return new LiveSettings(home, start, loaded, stamp);
  }

  get current(): LoadedConfig {
    return this.#current;
  }

  /** What people should know who were not there at the start: that the file was broken. A safe start does not look at it. */
  get newsAtStart(): readonly SettingsNews[] {
    const { source, warnings } = this.#current;
    if (source !== 'last-good' || this.#start === 'safe') return [];
    const stamp = this.#stamp;
    return [{ text: warnings.join('; '), stands: () => this.#stamp === stamp }];
  }

  async refresh(): Promise<readonly SettingsNews[]> {
    const found = await this.#lookInTurn();
    const unsaid = this.#unsaid;
    this.#unsaid = [];
    return [...unsaid, ...found];
  }

  /** Notes that the program came to serve with these settings: a safe start can go back to them. */
  async keepAsServed(): Promise<readonly string[]> {
    return await keepAsServed(this.#home, this.#current);
  }

  /**
   * Writes into the file, comments and all else left as they are, and takes it over. Returns the path of a copy of what
   * it said before, if there is one. Throws `bad-config` for a broken file.
   */
  async change(changes: readonly SettingsChange[]): Promise<string | undefined> {
    const copy = await changeConfig(this.#home, changes);
    const found = await this.#lookInTurn();
    this.#unsaid = [...this.#unsaid, ...found];
    return copy;
  }

  /** One after the other: whoever asks while the file is being read gets what was read, too. */
  #lookInTurn(): Promise<readonly SettingsNews[]> {
    const looked = this.#looking.then(() => this.#look());
    this.#looking = looked;
    return looked;
  }

  async #look(): Promise<readonly SettingsNews[]> {
    const stamp = stampOfSettings(this.#home);
    if (stamp === this.#stamp || this.#start === 'safe') return [];
    const found = await this.#read();
    // The next look decides: it is still empty by then, or it says something.
    if (typeof found !== 'string' && isJustEmptied(found, this.#current)) return [];
    this.#stamp = stamp;
    if (typeof found === 'string') {
      const text = `${found}; the settings from before are used until this is mended`;
      return [{ text, stands: () => this.#stamp === stamp }];
    }
    const known = this.#current;
    this.#current = found;
    return found.warnings
      .filter((warning) => !warnsOf(warning, known))
      .map((text) => ({ text, stands: () => warnsOf(text, this.#current) }));
  }

  /** The settings as they are now, or what is wrong with them. */
  async #read(): Promise<LoadedConfig | string> {
    try {
      const found = await loadConfig(this.#home);
      if (found.source === 'last-good') return found.warnings[0] ?? `${found.path} is broken`;
      const isGone = found.source === 'defaults' && this.#current.source !== 'defaults';
      return isGone ? `${this.#current.path} is gone` : found;
    } catch (thrown) {
      return describeError(thrown);
    }
  }
}

/** Some editors empty a file before they write it: whoever looks in between must not shut anyone out. */
function isJustEmptied(found: LoadedConfig, before: LoadedConfig): boolean {
  if (!saysNothing(found) || saysNothing(before)) return false;
  const written = statSync(found.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - written < writingMs;
}

function saysNothing({ user }: LoadedConfig): boolean {
  return Object.keys(user ?? {}).length === 0;
}

function warnsOf(warning: string, { warnings }: LoadedConfig): boolean {
  return warnings.some((each) => withoutPosition(each) === withoutPosition(warning));
}

/** A line that is added above a thing moves it, and makes it no other thing. */
function withoutPosition(warning: string): string {
  return warning.replace(/:\d+:\d+: /, ': ');
}

/** Differs whenever one of the two files was written, put in the place of another, made or removed. */
function stampOfSettings({ configFile, configJsonFile }: HomeFolder): string {
  return [configFile, configJsonFile].map(stampOf).join(' ');
}
