import type { Config, ModelChoice } from '../model/config.ts';
import { providerOf } from '../model/model-name.ts';
import { customKey, namesOfCommands, namesOfKeys } from './find-keys.ts';
import { vendors } from './vendors.ts';

export interface VendorKeys {
  readonly name: string;
  /** The variable that must hold a key; undefined where none is needed. */
  readonly keyName: string | undefined;
  readonly hasKey: boolean;
  /** The variables that hold one and the commands that print one, in the order in which they are used. */
  readonly keys: readonly string[];
}

/** Whose keys are there: under the names that the settings give them, else under the usual ones. */
export function listKeys(config: Config, secret: (name: string) => string | undefined): readonly VendorKeys[] {
  const entries: readonly ModelChoice[] = [config.model, ...config.fallback, ...Object.values(config.providers)];
  const rows = [
    ...vendors.map(({ name, envKey }) => ({ name, keyName: envKey, usual: envKey })),
    { name: 'custom', keyName: undefined, usual: customKey },
  ];
  return rows.map(({ name, keyName, usual }) => {
    const own = entries.filter((entry) => providerOf(entry) === name);
    const printed = own.flatMap(namesOfCommands);
    const named = namesOfKeys(
      own.flatMap(({ keyEnv }) => keyEnv),
      secret,
    );
    const keys = [...new Set([...printed, ...named, ...namesOfKeys(usual, secret)])];
    return { name, keyName, hasKey: keys.length > 0, keys };
  });
}
