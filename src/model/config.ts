import type { Json, JsonObject } from '../base/json.ts';
import type { ApiMode } from './runtime.ts';
import { describeProblems, integer, list, object, oneOf, oneOrMany, optional, string, unknownKeys } from './schema.ts';
import type { ValueOf } from './schema.ts';

const apiModes = ['chat_completions', 'anthropic_messages', 'codex_responses'] as const;
const apiModeText = 'the wire protocol; left out: the one that the vendor is known for';

/** Everything that `config.yaml` can say. The JSON schema for editors is made from this. */
export const configSchema = object({
  model: optional(
    object(
      {
        default: optional(string('the model to ask, by the name its vendor gives it', { minLength: 1 })),
        provider: optional(string('the vendor, or "custom" with a base_url; left out: the first one that has a key')),
        base_url: optional(string('the address of the API, up to and including /v1')),
        api_mode: optional(oneOf(apiModes, apiModeText)),
        key_env: optional(string('the variable that holds the key, where it is not the usual one')),
        max_output_tokens: optional(integer('the longest answer to ask for, in tokens', { minimum: 1 })),
      },
      'which model answers',
    ),
  ),
  fallback: optional(
    oneOrMany(
      object({
        provider: string('the vendor, or "custom" with a base_url', { minLength: 1 }),
        model: string('the model to ask', { minLength: 1 }),
        base_url: optional(string('the address of the API')),
        api_mode: optional(oneOf(apiModes, apiModeText)),
        key_env: optional(string('the variable that holds the key, where it is not the usual one')),
      }),
      'who answers for the rest of a turn when the model cannot; one entry or a list, tried in order',
    ),
  ),
  agent: optional(
    object(
      { max_turns: optional(integer('how many model calls one turn may make', { minimum: 1, maximum: 1000 })) },
      'limits of one turn',
    ),
  ),
  terminal: optional(
    object(
      {
        timeout: optional(integer('seconds after which a command is ended', { minimum: 1, maximum: 600 })),
        env_passthrough: optional(
          list(string('a name'), 'environment variables that commands may see besides the usual ones'),
        ),
      },
      'the shell',
    ),
  ),
  storage: optional(
    object(
      { retention_days: optional(integer('days after which an idle session is deleted; 0 keeps all', { minimum: 0 })) },
      'the database',
    ),
  ),
});

/** The JSON schema of `config.yaml`, for editors. */
export const configJsonSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Talaria configuration',
  ...configSchema.json,
};

export type UserConfig = ValueOf<typeof configSchema>;

/** A model as the settings name it; what is left out is found by other means. */
export interface ModelChoice {
  readonly default: string | undefined;
  readonly provider: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiMode: ApiMode | undefined;
  readonly keyEnv: string | undefined;
}

/** The settings as the program uses them, with every default filled in. */
export interface Config {
  readonly model: ModelChoice & { readonly maxOutputTokens: number | undefined };
  readonly fallback: readonly ModelChoice[];
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
    model: {
      default: user.model?.default,
      provider: user.model?.provider,
      baseUrl: user.model?.base_url,
      apiMode: user.model?.api_mode,
      keyEnv: user.model?.key_env,
      maxOutputTokens: user.model?.max_output_tokens,
    },
    fallback: (user.fallback ?? []).map((entry) => ({
      default: entry.model,
      provider: entry.provider,
      baseUrl: entry.base_url,
      apiMode: entry.api_mode,
      keyEnv: entry.key_env,
    })),
    agent: { maxSteps: user.agent?.max_turns ?? 90 },
    terminal: {
      timeoutMs: (user.terminal?.timeout ?? 180) * 1000,
      envPassthrough: user.terminal?.env_passthrough ?? [],
    },
    storage: { retentionDays: user.storage?.retention_days ?? 0 },
  };
}
