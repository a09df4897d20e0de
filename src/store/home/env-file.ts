import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { closeToOthers } from '../private-folder.ts';
import type { HomeFolder } from './home-folder.ts';

/** The keys and tokens that the program may use. They are handed out by name and never enter the environment. */
export interface Secrets {
  readonly warnings: readonly string[];
  /** The value of the process environment, or else of the `.env` file. An empty value counts as none. */
  get(name: string): string | undefined;
  /** Where that value stands; undefined where there is none. */
  placeOf(name: string): 'environment' | 'file' | undefined;
  /** What must not appear in any log. */
  values(): readonly string[];
  /** Those of them that log in somewhere, by their names or by the password in them: they must not leave the machine. */
  credentials(): readonly string[];
  /** One more that logs in somewhere, found after the start. */
  learn(value: string): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
const addressWithPassword = /:\/\/[^/\s]*:[^/\s]*@/;

/** Reads `.env` in the home, and sets its permissions back where they were loosened. */
export async function loadSecrets(home: HomeFolder, env: Environment): Promise<Secrets> {
  return asSecrets(readEnvFile(home.envFile, closeEnvFile), env);
}

/** The same, with the permissions left as they are. */
export function lookAtSecrets(home: HomeFolder, env: Environment): Secrets {
  return asSecrets(
    readEnvFile(home.envFile, () => []),
    env,
  );
}

interface EnvFile {
  readonly text: string;
  readonly warnings: readonly string[];
}

function asSecrets({ text, warnings }: EnvFile, env: Environment): Secrets {
  const ofFile = new Map(Object.entries(parseEnv(text)));
  const fromEnvironment = Object.entries(env).filter(([name]) => ofFile.has(name) || secretName.test(name));
  const all = [...ofFile, ...fromEnvironment];
  const learned = new Set<string>();
  return {
    warnings,
    get: (name) => notEmpty(env[name]) ?? notEmpty(ofFile.get(name)),
    placeOf(name) {
      if (notEmpty(env[name]) !== undefined) return 'environment';
      return notEmpty(ofFile.get(name)) === undefined ? undefined : 'file';
    },
    values: () => [...all.flatMap(([, value]) => notEmpty(value) ?? []), ...learned],
    credentials: () => [
      ...all.flatMap(([name, value = '']) => (secretName.test(name) || addressWithPassword.test(value) ? [value] : [])),
      ...learned,
    ],
    learn: (value) => void learned.add(value),
  };
}

function readEnvFile(path: string, close: (path: string) => readonly string[]): EnvFile {
  try {
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    return { text, warnings: [...close(path), ...describeStrangeLines(path, findStrangeLines(text))] };
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return { text: '', warnings: [] };
    return { text: '', warnings: [`${path} cannot be read, so that no key in it is used: ${describeError(thrown)}`] };
  }
}

/** What such a line says is never told: it may be a key that lacks its name. */
function describeStrangeLines(path: string, [first, ...others]: readonly number[]): readonly string[] {
  if (first === undefined) return [];
  const what = others.length === 0 ? 'this is' : `this and ${others.length} more are`;
  return [`${path}:${first}:1: ${what} neither NAME=value nor a comment, and no key comes of it`];
}

/** The lines, counted from 1, that set nothing. A value in quotes may go over several. Pure. */
function findStrangeLines(text: string): readonly number[] {
  const strange: number[] = [];
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(?:#|$)/.test(line)) continue;
    const setting = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(?<value>.*)$/.exec(line);
    if (setting === null) strange.push(index + 1);
    else index += linesBehind(setting.groups?.['value'] ?? '', lines.slice(index + 1));
  }
  return strange;
}

/** How many more lines belong to a value. */
function linesBehind(value: string, behind: readonly string[]): number {
  const [quote = ''] = /^["'`]/.exec(value) ?? [];
  if (quote === '' || value.indexOf(quote, 1) !== -1) return 0;
  // A quote that is never closed is one character of the value.
  return behind.findIndex((line) => line.includes(quote)) + 1;
}

function closeEnvFile(path: string): readonly string[] {
  try {
    if (closeToOthers(path) === 'was-closed') return [];
    return [`${path} was open to other users; its permissions are set back to 0600`];
  } catch (thrown) {
    return [`${path} may be open to other users, and its permissions cannot be changed: ${describeError(thrown)}`];
  }
}

function notEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
