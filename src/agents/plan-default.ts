import type { Json } from '../base/json.ts';
import type { Config, ModelChoice } from '../model/config.ts';
import { providerOf, readDefaultModel, readModelName } from '../model/model-name.ts';
import type { SettingsChange } from '../model/settings.ts';

export interface DefaultPlan {
  readonly changes: readonly SettingsChange[];
  /** What is not where it was any more, for people. */
  readonly notes: readonly string[];
}

export interface PlanContext {
  readonly config: Config;
  readonly providers: readonly string[];
  /** Who answers by the settings as they are; undefined where nobody does. */
  readonly vendor: string | undefined;
}

/**
 * How the settings are changed so that a choice is the default. An address or a key of one provider must not stay behind
 * for another, and nothing may get lost: what was set for the old one is kept aside, where its models are found again. Pure.
 */
export function planDefault(choice: ModelChoice, context: PlanContext): DefaultPlan {
  const { default: name, provider, ...place } = choice;
  const parts = [keepAside(choice, context), pinAliases(choice, context)];
  return {
    changes: [
      { path: ['model'], values: { default: name, provider, ...writtenPlace(place) } },
      ...parts.flatMap(({ changes }) => changes),
    ],
    notes: parts.flatMap(({ notes }) => notes),
  };
}

type Place = Pick<ModelChoice, 'baseUrl' | 'apiMode' | 'keyEnv' | 'keyCommands' | 'contextLength'>;

function writtenPlace(place: Place): Readonly<Record<string, Json | undefined>> {
  const { baseUrl, apiMode, keyEnv, keyCommands, contextLength } = place;
  return {
    base_url: baseUrl,
    api_mode: apiMode,
    key_env: oneOrList(keyEnv),
    key_command: oneOrList(keyCommands),
    context_length: contextLength,
  };
}

function oneOrList(values: readonly string[]): Json | undefined {
  return values.length < 2 ? values[0] : values;
}

const nothing: DefaultPlan = { changes: [], notes: [] };

function keepAside(choice: ModelChoice, context: PlanContext): DefaultPlan {
  const { config } = context;
  const kept = whatToKeep(choice, context);
  const isDouble = isSaidAgain(choice, config) && choice.provider !== kept.provider;
  const values: Record<string, Json | undefined> = {
    ...(isDouble && choice.provider !== undefined ? { [choice.provider]: undefined } : {}),
    ...(kept.entry === undefined ? {} : { [kept.provider]: kept.entry }),
  };
  if (Object.keys(values).length === 0) return { changes: [], notes: kept.notes };
  const isLast = kept.entry === undefined && Object.keys(config.providers).length === 1;
  const change = isLast ? { path: [], values: { providers: undefined } } : { path: ['providers'], values };
  return { changes: [change], notes: kept.notes };
}

interface Kept {
  readonly provider: string;
  readonly entry: Json | undefined;
  readonly notes: readonly string[];
}

function whatToKeep(choice: ModelChoice, { config, providers }: PlanContext): Kept {
  const provider = providerOf(config.model) ?? '';
  const leaving = leavingKeys(config.model, choice);
  if (leaving.length === 0) return { provider, entry: undefined, notes: [] };
  const resolved = readDefaultModel(config, providers);
  const model = providerOf(resolved) === provider ? resolved.default : undefined;
  // The window of one model says nothing about where to find it.
  if (provider === '' || (leaving.join() === 'context_length' && provider === choice.provider)) {
    const notes = [
      `context_length: ${config.model.contextLength} was for ${model ?? 'the old model'} and is taken out.`,
    ];
    return { provider, entry: undefined, notes };
  }
  const written = Object.entries({ model, ...writtenPlace(config.model) }).filter(([, value]) => value !== undefined);
  const goesBack = `\`talaria model set ${provider}:${model ?? ''}\` goes back.`;
  const notes = [
    `What was set for ${provider} (${leaving.join(', ')}) is kept under providers.${provider}; ${goesBack}`,
  ];
  return {
    provider,
    entry: Object.fromEntries(written) as Json,
    notes: [...notes, ...displaced(provider, choice, config)],
  };
}

/** What stood in the place of what is kept there now. */
function displaced(provider: string, choice: ModelChoice, config: Config): readonly string[] {
  if (config.providers[provider] === undefined) return [];
  if (choice.provider === provider && isSaidAgain(choice, config)) return [];
  return [`What providers.${provider} said before is only in the copy of the settings now.`];
}

/** The keys of the old entry that the new one has not, or has otherwise. */
function leavingKeys(old: ModelChoice, choice: ModelChoice): readonly string[] {
  const after = writtenPlace(choice);
  return Object.entries(writtenPlace(old))
    .filter(([key, value]) => value !== undefined && JSON.stringify(after[key]) !== JSON.stringify(value))
    .map(([key]) => key);
}

/** Whether what is kept aside for the provider of the new default says nothing else than that does. */
function isSaidAgain(choice: ModelChoice, { providers }: Config): boolean {
  const aside = providers[choice.provider ?? ''];
  if (aside === undefined) return false;
  return (aside.default ?? choice.default) === choice.default && leavingKeys(aside, choice).length === 0;
}

/** A plain name in an alias is a model of the default provider. Under another one it would be somebody else's. */
function pinAliases(choice: ModelChoice, { config, providers, vendor }: PlanContext): DefaultPlan {
  const old = providerOf(config.model) ?? vendor;
  if (old === undefined || old === choice.provider) return nothing;
  const pinned = Object.entries(config.model.aliases).filter(
    ([alias, name]) => !Object.hasOwn(config.model.aliases, name) && isPlain(alias, { config, providers }),
  );
  if (pinned.length === 0) return nothing;
  const values = Object.fromEntries(pinned.map(([alias, name]) => [alias, `${old}:${name}`]));
  return {
    changes: [{ path: ['model', 'aliases'], values }],
    notes: Object.entries(values).map(
      ([alias, name]) => `The alias ${alias} stands for ${name}, as before, and says so now.`,
    ),
  };
}

function isPlain(alias: string, { config, providers }: Pick<PlanContext, 'config' | 'providers'>): boolean {
  const unconfigured = { ...config, model: { ...config.model, provider: undefined, baseUrl: undefined } };
  return readModelName(alias, unconfigured, providers).choice.provider === undefined;
}
