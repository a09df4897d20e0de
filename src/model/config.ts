import type { Json } from '../base/json.ts';
import { configSchema } from './config-schema.ts';
import type { UserConfig } from './config-schema.ts';
import type { Effort } from './provider.ts';
import type { ApiMode, CacheLife } from './runtime.ts';
import { describeProblems, unknownKeys } from './schema.ts';

/** A model as the settings name it; what is left out is found by other means. */
export interface ModelChoice {
  readonly default: string | undefined;
  readonly provider: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiMode: ApiMode | undefined;
  /** The variables that hold its keys; empty: the vendor's usual one. */
  readonly keyEnv: readonly string[];
  readonly contextLength: number | undefined;
}

export interface ModelSettings extends ModelChoice {
  readonly maxOutputTokens: number | undefined;
  readonly effort: Effort | undefined;
  readonly cacheLife: CacheLife;
  /** Short names, each for a `provider:model`. */
  readonly aliases: Readonly<Record<string, string>>;
}

export interface CompactionSettings {
  readonly isAutomatic: boolean;
  /** The share of the window that may be full. */
  readonly threshold: number;
  /** How much of that stays word for word, and how many messages at least, newest first. */
  readonly targetRatio: number;
  readonly protectLast: number;
  /** Who writes the summary, as `provider:model`; undefined: the model that answers. */
  readonly model: string | undefined;
}

/** Limits of money in US dollars; undefined where there is none. */
export interface MoneyLimits {
  readonly perTurn: number | undefined;
  readonly perSession: number | undefined;
  readonly perPerson: number | undefined;
  readonly perDay: number | undefined;
  readonly perMonth: number | undefined;
  readonly whenReached: 'ask' | 'stop';
}

/** US dollars for a million tokens, as the user knows them. */
export interface PriceSettings {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
}

/** The settings as the program uses them, with every default filled in. */
export interface Config {
  readonly model: ModelSettings;
  readonly fallback: readonly ModelChoice[];
  readonly compaction: CompactionSettings;
  readonly limits: MoneyLimits;
  /** By `provider:model`. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  readonly agent: { readonly maxSteps: number };
  readonly terminal: { readonly timeoutMs: number; readonly envPassthrough: readonly string[] };
  readonly storage: { readonly retentionDays: number };
}

export type CheckedConfig =
  | { readonly type: 'valid'; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly type: 'invalid'; readonly problem: string; readonly path: readonly string[] };

/** Checks parsed settings. Unknown keys are warnings and never stop the start. Pure. */
export function checkConfig(raw: Json): CheckedConfig {
  const parsed = configSchema.parse(raw ?? {});
  if (parsed.type === 'invalid') {
    return { type: 'invalid', problem: describeProblems(parsed.problems), path: parsed.problems[0]?.path ?? [] };
  }
  const warnings = unknownKeys(raw, configSchema.json).map((path) => `unknown key ${path.join('.')} is ignored`);
  return { type: 'valid', config: withDefaults(parsed.value), warnings };
}

export function withDefaults(user: UserConfig): Config {
  return {
    model: modelSettings(user.model),
    fallback: (user.fallback ?? []).map((entry) => modelChoice({ ...entry, default: entry.model })),
    compaction: {
      isAutomatic: user.compression?.enabled ?? true,
      threshold: user.compression?.threshold ?? 0.7,
      targetRatio: user.compression?.target_ratio ?? 0.2,
      protectLast: user.compression?.protect_last_n ?? 4,
      model: user.compression?.model,
    },
    limits: moneyLimits(user.limits),
    prices: Object.fromEntries(Object.entries(user.prices ?? {}).map(([name, price]) => [name, priceSettings(price)])),
    agent: { maxSteps: user.agent?.max_turns ?? 90 },
    terminal: {
      timeoutMs: (user.terminal?.timeout ?? 180) * 1000,
      envPassthrough: user.terminal?.env_passthrough ?? [],
    },
    storage: { retentionDays: user.storage?.retention_days ?? 0 },
  };
}

type UserModel = Partial<NonNullable<UserConfig['model']>>;

function modelChoice(user: UserModel): ModelChoice {
  return {
    default: user.default,
    provider: user.provider,
    baseUrl: user.base_url,
    apiMode: user.api_mode,
    keyEnv: user.key_env ?? [],
    contextLength: user.context_length,
  };
}

function modelSettings(user: UserModel = {}): ModelSettings {
  return {
    ...modelChoice(user),
    maxOutputTokens: user.max_output_tokens,
    effort: user.reasoning_effort,
    cacheLife: user.cache_ttl ?? '5m',
    aliases: user.aliases ?? {},
  };
}

function moneyLimits(user: Partial<NonNullable<UserConfig['limits']>> = {}): MoneyLimits {
  return {
    perTurn: user.per_turn,
    perSession: user.per_session,
    perPerson: user.per_person,
    perDay: user.per_day,
    perMonth: user.per_month,
    whenReached: user.when_reached ?? 'stop',
  };
}

function priceSettings(user: NonNullable<UserConfig['prices']>[string]): PriceSettings {
  return { input: user.input, output: user.output, cacheRead: user.cache_read, cacheWrite: user.cache_write };
}
