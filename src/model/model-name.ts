import { nearestWord } from '../base/nearest-word.ts';
import type { Config, ModelChoice } from './config.ts';

export interface NamedModel {
  readonly choice: ModelChoice;
  /** A word before a colon that is no provider: part of a model's name on some servers, a slip on others. */
  readonly doubtful: string | undefined;
}

type Named = Pick<Config, 'model' | 'fallback' | 'providers'>;

/**
 * What a person means by the name of a model: an alias, `provider:model`, or a model of the configured provider. Address
 * and key come from the entry of the settings that is for the same provider, so that neither strays to another. Pure.
 */
export function readModelName(written: string, settings: Named, providers: readonly string[]): NamedModel {
  const { aliases } = settings.model;
  const name = Object.hasOwn(aliases, written) ? (aliases[written] ?? written) : written;
  // No server has a model of that name, and everybody who types it means the demo.
  if (name === 'demo') return { choice: chooseAt('demo', '', settings), doubtful: undefined };
  const colon = name.indexOf(':');
  const before = name.slice(0, Math.max(colon, 0));
  if (providers.includes(before)) {
    return { choice: chooseAt(before, name.slice(colon + 1), settings), doubtful: undefined };
  }
  const doubtful = /^[a-z][a-z-]*$/i.test(before) ? before : undefined;
  return { choice: rename(settings.model, name), doubtful };
}

/** The configured model, whose name may be an alias. Pure. */
export function readDefaultModel(settings: Named, providers: readonly string[]): ModelChoice {
  const { model } = settings;
  if (model.default === undefined) return model;
  // With a provider beside it, a name is one of that provider's, whatever it looks like.
  const isPlain = model.provider !== undefined || model.baseUrl !== undefined;
  if (isPlain && !Object.hasOwn(model.aliases, model.default)) return model;
  return readModelName(model.default, settings, providers).choice;
}

function chooseAt(provider: string, model: string, settings: Named): ModelChoice {
  const aside = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
  const entries = [settings.model, ...settings.fallback, ...(aside === undefined ? [] : [aside])];
  const ofProvider = entries.filter((entry) => providerOf(entry) === provider);
  const entry = ofProvider.find((candidate) => candidate.default === model) ?? ofProvider[0];
  return rename({ ...(entry ?? nothing), provider }, model);
}

/** For people: a provider that there is none of, and the one that was most likely meant. Pure. */
export function describeUnknownProvider(name: string, providers: readonly string[]): string {
  const nearest = nearestWord(name, providers);
  const meant = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `unknown provider ${name}${meant}: the known ones are ${providers.join(', ')}`;
}

/** An address alone is a provider, too. Pure. */
export function providerOf({ provider, baseUrl }: ModelChoice): string | undefined {
  return provider ?? (baseUrl === undefined ? undefined : 'custom');
}

/** How much a model reads at once is its own; the rest is its provider's. */
function rename(choice: ModelChoice, model: string): ModelChoice {
  const { provider, baseUrl, apiMode, keyEnv, keyCommands } = choice;
  const contextLength = choice.default === model ? choice.contextLength : undefined;
  return { default: model === '' ? undefined : model, provider, baseUrl, apiMode, keyEnv, keyCommands, contextLength };
}

const nothing: ModelChoice = {
  default: undefined,
  provider: undefined,
  baseUrl: undefined,
  apiMode: undefined,
  keyEnv: [],
  keyCommands: [],
  contextLength: undefined,
};
