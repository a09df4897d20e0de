import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, describeError } from '../../base/errors.ts';
import { isJsonObject, parseJson, stableJson } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import { localTime } from '../../base/local-time.ts';
import { checkConfig, withDefaults } from '../../model/config.ts';
import type { UserConfig } from '../../model/config-schema.ts';
import type { Config } from '../../model/config.ts';
import type { SettingsChange, SettingsState } from '../../model/settings.ts';
import type { HomeFolder } from './home-folder.ts';
import type { ParsedConfig } from './parse-config.ts';
import { writeAtomically } from './write-atomically.ts';

export interface LoadedConfig extends SettingsState {
  /** The file that counts, or would if there were one. */
  readonly path: string;
  /** With `last-good` they are what is wrong with the file, and behind that, which settings count instead. */
  readonly warnings: readonly string[];
  readonly source: 'defaults' | 'file' | 'last-good';
}

/**
 * The settings from `config.yaml` or `config.json`. A file that is broken or has a wrong value is reported with line
 * and column, and the last good one is used; where there never was one, that is the end of the start: going on with
 * defaults could send a conversation to a model that its owner did not choose.
 */
export async function loadConfig(home: HomeFolder): Promise<LoadedConfig> {
  const { newText, ...loaded } = await lookAtConfig(home);
  if (newText === undefined) return loaded;
  const copying = await keepAsLastGood(lastGoodPath(home), { text: newText, value: loaded.user });
  return { ...loaded, warnings: [...loaded.warnings, ...copying] };
}

/** The same without keeping anything for later: what the next start would find. */
export async function lookAtConfig(home: HomeFolder): Promise<LoadedConfig & NewText> {
  const path = findConfigFile(home);
  if (path === undefined) {
    const config = withDefaults({} as UserConfig);
    return { path: home.configFile, config, user: null, warnings: [], source: 'defaults', newText: undefined };
  }
  const lastGood = readLastGood(lastGoodPath(home));
  const found = await readConfig(path, lastGood);
  if (found.type === 'broken') return { path, ...useLastGood(lastGood, found.problems), newText: undefined };
  return {
    path,
    config: found.config,
    user: found.value,
    warnings: [...doubled(home, path), ...found.warnings],
    source: 'file',
    newText: found.text === lastGood?.text ? undefined : found.text,
  };
}

/** What a good file says, where its last good copy says something else. */
interface NewText {
  readonly newText: string | undefined;
}

/**
 * The settings of the last start that came to serve anything, whatever the file says now; else the last that were good.
 * Without either a file is not trusted, and only where there is none do the defaults count.
 */
export async function loadSafeConfig(home: HomeFolder): Promise<LoadedConfig> {
  const path = findConfigFile(home);
  const kept = readLastGood(lastServedPath(home)) ?? readLastGood(lastGoodPath(home));
  if (kept === undefined && path === undefined) return await loadConfig(home);
  const problem = 'there are no settings of an earlier start that could be used instead of the file';
  const { config, user } = useLastGood(kept, [problem]);
  const warning = `the settings of ${kept?.since ?? 'before'} are used, whatever the file says now`;
  return { path: path ?? home.configFile, config, user, warnings: [warning], source: 'last-good' };
}

/** Keeps settings that the program came to serve with, for `loadSafeConfig`; also where it remembered them, since the file was broken. */
export async function keepAsServed(home: HomeFolder, { source, user }: LoadedConfig): Promise<readonly string[]> {
  if (source === 'defaults' || isSame(readLastGood(lastServedPath(home))?.value, user)) return [];
  return await keepAsLastGood(lastServedPath(home), { text: '', value: user });
}

function isSame(kept: Json | undefined, user: Json): boolean {
  return kept !== undefined && stableJson(kept) === stableJson(user);
}

function lastGoodPath(home: HomeFolder): string {
  return join(home.state, 'config.last-good.json');
}

function lastServedPath(home: HomeFolder): string {
  return join(home.state, 'config.last-served.json');
}

/**
 * Changes keys in the file that counts, or begins one. Returns the path of a copy of what it said before, if there is one.
 * Throws `bad-config` for a broken file.
 */
export async function changeConfig(home: HomeFolder, changes: readonly SettingsChange[]): Promise<string | undefined> {
  const { changeSettings } = await import('./change-settings.ts');
  return await changeSettings(findConfigFile(home) ?? home.configFile, changes);
}

function findConfigFile(home: HomeFolder): string | undefined {
  return [home.configFile, home.configJsonFile].find((candidate) => existsSync(candidate));
}

/** Settings that were read without a problem: the text of the file, and what it says. */
interface LastGood {
  readonly text: string;
  readonly value: Json;
  readonly since: string;
}

type ReadConfig =
  | {
      readonly type: 'good';
      readonly config: Config;
      readonly warnings: readonly string[];
      readonly text: string;
      readonly value: Json;
    }
  | { readonly type: 'broken'; readonly problems: readonly string[] };

async function readConfig(path: string, lastGood: LastGood | undefined): Promise<ReadConfig> {
  try {
    const text = readFileSync(path, 'utf8');
    const parsed = recall(text, lastGood) ?? (await import('./parse-config.ts')).parseConfig(text);
    if (parsed.type === 'broken') {
      return { type: 'broken', problems: parsed.problems.map((problem) => `${path}:${problem}`) };
    }
    return { ...parsed, text, warnings: parsed.warnings.map((warning) => `${path}:${warning}`) };
  } catch (thrown) {
    return { type: 'broken', problems: [`${path}: ${describeError(thrown)}`] };
  }
}

/** A file that has not changed needs no parser, and to load one takes longer than to open the whole store. */
function recall(text: string, lastGood: LastGood | undefined): ParsedConfig | undefined {
  if (lastGood?.text !== text) return undefined;
  const checked = checkConfig(lastGood.value);
  // Where there is something to say about the file, the parser knows the line.
  if (checked.type === 'invalid' || checked.warnings.length > 0) return undefined;
  return { type: 'good', value: lastGood.value, config: checked.config, warnings: [] };
}

function useLastGood(lastGood: LastGood | undefined, problems: readonly string[]): Omit<LoadedConfig, 'path'> {
  const checked = lastGood && checkConfig(lastGood.value);
  if (lastGood === undefined || checked?.type !== 'valid') throw new AppError('bad-config', problems.join('\n'));
  const warnings = [...problems, `the settings of ${lastGood.since} are used until this is mended`];
  return { config: checked.config, user: lastGood.value, warnings, source: 'last-good' };
}

function readLastGood(path: string): LastGood | undefined {
  const kept = parseJson(readIfThere(path) ?? '');
  if (!isJsonObject(kept) || typeof kept['text'] !== 'string') return undefined;
  return { text: kept['text'], value: kept['value'] ?? {}, since: localTime(statSync(path).mtimeMs) };
}

async function keepAsLastGood(
  path: string,
  { text, value }: { readonly text: string; readonly value: Json },
): Promise<readonly string[]> {
  try {
    await writeAtomically(path, JSON.stringify({ text, value }));
    return [];
  } catch (thrown) {
    // A copy for later must not keep the program from starting now.
    return [`no copy of the settings could be kept: ${describeError(thrown)}`];
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // A copy that cannot be read is as good as none.
  }
}

function doubled(home: HomeFolder, used: string): readonly string[] {
  if (used === home.configJsonFile || !existsSync(home.configJsonFile)) return [];
  return [`${home.configJsonFile} is ignored, because ${used} exists`];
}
