import type { ModelChoice } from '../model/config.ts';
import type { Credential, PrintedKey, Runtime } from '../model/runtime.ts';
import type { Vendor } from './vendors.ts';

type FindSecret = (name: string) => string | undefined;

export interface KeyWishes {
  readonly config: ModelChoice;
  /** The value of a variable, from the environment or the file of secrets. */
  readonly secret: FindSecret;
  /** The key that a command prints. It is not run for that. */
  readonly printedKey: (command: string) => PrintedKey;
}

/** A key, by the variable that it stands in or the setting that it comes by. */
export interface Key {
  readonly name: string;
  readonly credential: Credential;
}

export const customKey = 'CUSTOM_API_KEY';

/** The keys of what is configured: those of its commands, then those that the config names; where there are neither, the usual ones. */
export function findKeys(usualName: string | undefined, { config, secret, printedKey }: KeyWishes): readonly Key[] {
  const { keyCommands, keyEnv } = config;
  if (keyCommands.length === 0 && keyEnv.length === 0) return keysIn(usualName, secret);
  const names = namesOfCommands(config);
  const printed = keyCommands.map((command, place) => ({
    name: names[place] ?? '',
    credential: { type: 'printed', key: printedKey(command) } as const,
  }));
  return [...printed, ...distinct(keyEnv.flatMap((name) => valueIn(name, secret))).map(asKey)];
}

/** What the keys of commands are called, since they stand in no variable: `key_command`, `key_command_2` and so on. */
export function namesOfCommands({ keyCommands }: ModelChoice): readonly string[] {
  return keyCommands.map((_, place) => (place === 0 ? 'key_command' : `key_command_${place + 1}`));
}

/** The usual key of a vendor is not for whoever stands at another address, unless the config names it for that one. */
export function usualKeyOf(vendor: Vendor, { baseUrl = vendor.baseUrl }: ModelChoice): string | undefined {
  return new URL(baseUrl).origin === new URL(vendor.baseUrl).origin ? vendor.envKey : undefined;
}

/** What to set where a vendor that asks for a key has none; undefined where it needs none. */
export function describeMissingKey(vendor: Vendor, config: ModelChoice): string | undefined {
  const { name, envKey } = vendor;
  if (config.keyEnv.length > 0) return `the provider ${name} has no key: set ${config.keyEnv.join(' or ')}`;
  if (envKey === undefined) return undefined;
  if (config.baseUrl === undefined || usualKeyOf(vendor, config) !== undefined) {
    return `the provider ${name} has no key: set ${envKey}`;
  }
  return (
    `model.base_url is not ${name}'s own address: ${envKey} is not sent to ${new URL(config.baseUrl).origin}; ` +
    'name the variable that holds its key in model.key_env'
  );
}

/** A line for each variable that the config names in vain. */
export function missingKeys(runtime: Runtime, { keyEnv }: ModelChoice, secret: FindSecret): readonly string[] {
  const missing = keyEnv.filter((name) => valueIn(name, secret).length === 0);
  const [first] = missing;
  if (first === undefined || runtime.place === 'demo') return [];
  const isWithoutKey = runtime.credential.type === 'none';
  if (!isWithoutKey) return missing.map((name) => `${name} is named in key_env, but is not set`);
  const facts =
    missing.length === 1
      ? `${first} is named in key_env, but is not`
      : `${missing.join(', ')} are named in key_env, but none of them is`;
  return [`${facts} set: ${runtime.name} is asked without a key`];
}

/** The variables that hold a key: of those in a list, or of the one and those behind it. */
export function namesOfKeys(wanted: string | readonly string[] | undefined, secret: FindSecret): readonly string[] {
  if (typeof wanted !== 'object') return keysIn(wanted, secret).map(({ name }) => name);
  return wanted.filter((name) => valueIn(name, secret).length > 0);
}

/** The key in a variable, and those in the variables behind it: `NAME`, `NAME_2`, `NAME_3` and so on. */
export function keysIn(name: string | undefined, secret: FindSecret): readonly Key[] {
  const values = name === undefined ? [] : [...valueIn(name, secret)];
  while (values.length > 0) {
    const [next] = valueIn(`${name}_${values.length + 1}`, secret);
    if (next === undefined) break;
    values.push(next);
  }
  return distinct(values).map(asKey);
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

function valueIn(name: string, secret: FindSecret): readonly NamedValue[] {
  const value = presentValue(secret(name));
  return value === undefined ? [] : [{ name, value }];
}

/** The same key under two names is one key: what is refused to it under one name is refused to it under the other. */
function distinct(keys: readonly NamedValue[]): readonly NamedValue[] {
  return keys.filter(({ value }, place) => keys.findIndex((key) => key.value === value) === place);
}

function asKey({ name, value }: NamedValue): Key {
  return { name, credential: { type: 'key', reveal: () => value } };
}

export function presentValue(value: string | undefined): string | undefined {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? undefined : trimmed;
}
