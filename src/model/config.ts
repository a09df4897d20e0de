import type { Json } from '../base/json.ts';
import { nearestWord } from '../base/nearest-word.ts';
import type { BusyMode } from './busy-mode.ts';
import { configSchema } from './config-schema.ts';
import type { UserConfig } from './config-schema.ts';
import { doubtsAboutServers, mcpServers } from './mcp-settings.ts';
import type { McpServers, ToolSearchSettings } from './mcp-settings.ts';
import type { Effort } from './provider.ts';
import type { ApiMode, CacheLife } from './runtime.ts';
import type { Problem } from './schema.ts';
import { findExceptionDoubts, searchSettings } from './search-settings.ts';
import type { SearchSettings } from './search-settings.ts';
import { usualMemberSessions } from './session.ts';
import type { MemberSessions } from './session.ts';
import { findTerminalDoubts, terminalSettings } from './terminal-settings.ts';
import type { TerminalSettings } from './terminal-settings.ts';
import { findToolsetDoubts } from './toolsets.ts';
import { unknownKeys } from './unknown-keys.ts';

/** A model as the settings name it; what is left out is found by other means. */
export interface ModelChoice {
  readonly default: string | undefined;
  readonly provider: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiMode: ApiMode | undefined;
  /** The variables that hold its keys; empty: the vendor's usual one. */
  readonly keyEnv: readonly string[];
  /** Commands that each print a key. */
  readonly keyCommands: readonly string[];
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

export interface AgentSettings {
  readonly maxSteps: number;
  /** How long nothing may happen before a turn is ended as stuck; undefined allows any time. */
  readonly inactivityMs: number | undefined;
  /** How long a question of the model waits for an answer. */
  readonly clarifyMs: number;
  /** How long running turns get to end when the gateway is stopped. */
  readonly drainMs: number;
  /** Added to the end of the system prompt. */
  readonly ephemeralPrompt: string;
  readonly disabledToolsets: readonly string[];
}

/** How much may be kept ready in memory; undefined where there is no bound. */
export interface AgentCacheSettings {
  readonly maxAgents: number | undefined;
  readonly maxBytes: number | undefined;
  readonly idleMs: number;
}

export interface DisplaySettings {
  readonly busyMode: BusyMode;
  /** By platform, where it differs. */
  readonly busyModes: Readonly<Record<string, BusyMode>>;
}

/** When a chat begins a new session by itself, with its next message. */
export interface ResetSettings {
  readonly mode: 'off' | 'idle' | 'daily' | 'both';
  readonly idleMs: number;
  /** Of the local day, 0 to 23. */
  readonly atHour: number;
  readonly notify: boolean;
}

export interface TelegramSettings {
  /** The variable that holds the token. */
  readonly tokenEnv: string;
  /** Numbers of accounts, and of groups that write as themselves. */
  readonly allow: readonly number[];
  readonly groups: 'addressed' | 'all' | 'off';
  /** The folder that new conversations work in; undefined: the user's home folder. */
  readonly workdir: string | undefined;
  readonly apiRoot: string | undefined;
  readonly proxy: string | undefined;
  /** Undefined: messages are asked for. */
  readonly webhook: WebhookSettings | undefined;
}

export interface WebhookSettings {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The variable that holds the secret; undefined: a new one at every start. */
  readonly secretEnv: string | undefined;
}

/** Who writes down what a recording says. */
export interface SpeechSettings {
  /** Undefined: nobody does. */
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly keyEnv: string | undefined;
}

export interface WebSettings {
  readonly isEnabled: boolean;
  readonly host: string;
  /** Undefined: the usual one, or a free one where that is taken. */
  readonly port: number | undefined;
  /** Whether the host may be one that other machines can reach. */
  readonly isExposed: boolean;
  readonly allowedHosts: readonly string[];
  /** The folder that new conversations work in; undefined: the user's home folder. */
  readonly workdir: string | undefined;
}

/** The browser that the model uses. */
export interface BrowserSettings {
  /** Undefined: the one that is installed. */
  readonly executable: string | undefined;
  readonly idleMs: number;
  /** How long an act may take, and how long a page may take to load. */
  readonly limitMs: number;
  readonly navigationMs: number;
  readonly sandbox: 'auto' | 'off';
  /** Hosts that may be opened though they are not public. */
  readonly allowPrivate: readonly string[];
}

/** The settings as the program uses them, with every default filled in. */
export interface Config {
  readonly model: ModelSettings;
  readonly fallback: readonly ModelChoice[];
  /** By provider: where its models are, besides the entries above. */
  readonly providers: Readonly<Record<string, ModelChoice>>;
  readonly compaction: CompactionSettings;
  readonly limits: MoneyLimits;
  /** By `provider:model`. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  readonly agent: AgentSettings;
  /** By platform; one that is not named gets all. */
  readonly platformToolsets: Readonly<Record<string, readonly string[]>>;
  readonly agentCache: AgentCacheSettings;
  readonly terminal: TerminalSettings;
  /** How long a question waits for its answer. */
  readonly approvals: { readonly timeoutMs: number };
  readonly toolSearch: ToolSearchSettings;
  /** By the name that the user gives them. */
  readonly mcpServers: McpServers;
  readonly display: DisplaySettings;
  readonly telegram: TelegramSettings;
  readonly speech: SpeechSettings;
  readonly web: WebSettings;
  readonly search: SearchSettings;
  readonly browser: BrowserSettings;
  readonly sessionReset: ResetSettings;
  readonly memberSessions: MemberSessions;
  readonly storage: { readonly retentionDays: number };
}

export type CheckedConfig =
  | { readonly type: 'valid'; readonly config: Config; readonly warnings: readonly Problem[] }
  | { readonly type: 'invalid'; readonly problems: readonly Problem[] };

/** Checks parsed settings. Unknown keys are warnings and never stop the start. Pure. */
export function checkConfig(raw: Json): CheckedConfig {
  const parsed = configSchema.parse(raw ?? {});
  if (parsed.type === 'invalid') return parsed;
  const config = withDefaults(parsed.value);
  const doubts = [...findDoubts(config), ...findToolsetDoubts(config), ...doubtsAboutServers(parsed.value.mcp_servers)];
  return { type: 'valid', config, warnings: [...ignoredKeys(raw), ...doubts] };
}

function ignoredKeys(raw: Json): readonly Problem[] {
  return unknownKeys(raw, configSchema.json).map(({ path, known }) => {
    const nearest = nearestWord(path.at(-1) ?? '', known);
    const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return { path, message: `unknown key ${path.join('.')} is ignored${meant}` };
  });
}

/** What is well formed and still cannot be meant. */
function findDoubts({ model: { aliases }, prices, search, browser, terminal }: Config): readonly Problem[] {
  const ofAliases = Object.entries(aliases).flatMap(([alias, name]) => {
    if (!Object.hasOwn(aliases, name)) return [];
    const what = alias === name ? 'stands for itself' : `stands for ${name}, which is an alias, too`;
    return [{ path: ['model', 'aliases', alias], message: `the alias ${alias} ${what}: name a provider:model there` }];
  });
  const ofPrices = Object.keys(prices)
    .filter((name) => !name.includes(':'))
    .map((name) => ({
      path: ['prices', name],
      message: `prices.${name} is the price of nothing: models are named provider:model there`,
    }));
  const ofExceptions = [...findExceptionDoubts('search', search), ...findExceptionDoubts('browser', browser)];
  return [...ofAliases, ...ofPrices, ...ofExceptions, ...findTerminalDoubts(terminal)];
}

export function withDefaults(user: UserConfig): Config {
  return {
    model: modelSettings(user.model),
    fallback: (user.fallback ?? []).map((entry) => modelChoice({ ...entry, default: entry.model })),
    providers: Object.fromEntries(
      Object.entries(user.providers ?? {}).map(([provider, entry]) => [
        provider,
        modelChoice({ ...entry, provider, default: entry.model }),
      ]),
    ),
    compaction: {
      isAutomatic: user.compression?.enabled ?? true,
      threshold: user.compression?.threshold ?? 0.7,
      targetRatio: user.compression?.target_ratio ?? 0.2,
      protectLast: user.compression?.protect_last_n ?? 4,
      model: user.compression?.model,
    },
    limits: moneyLimits(user.limits),
    prices: Object.fromEntries(Object.entries(user.prices ?? {}).map(([name, price]) => [name, priceSettings(price)])),
    agent: agentSettings(user.agent),
    platformToolsets: user.platform_toolsets ?? {},
    agentCache: agentCacheSettings(user.agent_cache),
    terminal: terminalSettings(user.terminal),
    approvals: { timeoutMs: (user.approvals?.timeout ?? 600) * 1000 },
    toolSearch: {
      mode: user.tools?.tool_search?.enabled ?? 'auto',
      threshold: (user.tools?.tool_search?.threshold_pct ?? 10) / 100,
    },
    mcpServers: mcpServers(user.mcp_servers),
    display: displaySettings(user.display),
    telegram: telegramSettings(user.telegram),
    speech: {
      baseUrl: user.speech?.base_url,
      model: user.speech?.model ?? 'whisper-1',
      keyEnv: user.speech?.key_env,
    },
    web: webSettings(user.web),
    search: searchSettings(user.search),
    browser: browserSettings(user.browser),
    sessionReset: resetSettings(user.session_reset),
    memberSessions: {
      inGroups: user.group_sessions_per_user ?? usualMemberSessions.inGroups,
      inThreads: user.thread_sessions_per_user ?? usualMemberSessions.inThreads,
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
    keyCommands: user.key_command ?? [],
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

function agentSettings(user: Partial<NonNullable<UserConfig['agent']>> = {}): AgentSettings {
  return {
    maxSteps: user.max_turns ?? 90,
    inactivityMs: zeroIsNone((user.gateway_timeout ?? 1800) * 1000),
    clarifyMs: (user.clarify_timeout ?? 600) * 1000,
    drainMs: (user.restart_drain_timeout ?? 60) * 1000,
    ephemeralPrompt: user.system_prompt?.trim() ?? '',
    disabledToolsets: user.disabled_toolsets ?? [],
  };
}

function agentCacheSettings(user: Partial<NonNullable<UserConfig['agent_cache']>> = {}): AgentCacheSettings {
  return {
    maxAgents: zeroIsNone(user.max_agents ?? 128),
    maxBytes: zeroIsNone((user.max_mb ?? 256) * 1024 * 1024),
    idleMs: (user.idle_ttl ?? 3600) * 1000,
  };
}

function displaySettings(user: Partial<NonNullable<UserConfig['display']>> = {}): DisplaySettings {
  const platforms = Object.entries(user.platforms ?? {});
  return {
    busyMode: user.busy_input_mode ?? 'steer',
    busyModes: Object.fromEntries(
      platforms.flatMap(([platform, { busy_input_mode: mode }]) => (mode === undefined ? [] : [[platform, mode]])),
    ),
  };
}

function resetSettings(user: Partial<NonNullable<UserConfig['session_reset']>> = {}): ResetSettings {
  return {
    mode: user.mode === 'none' ? 'off' : (user.mode ?? 'idle'),
    idleMs: (user.idle_minutes ?? 1440) * 60_000,
    atHour: user.at_hour ?? 4,
    notify: user.notify ?? true,
  };
}

function telegramSettings(user: Partial<NonNullable<UserConfig['telegram']>> = {}): TelegramSettings {
  return {
    tokenEnv: user.token_env ?? 'TELEGRAM_BOT_TOKEN',
    allow: user.allow ?? [],
    groups: user.groups ?? 'addressed',
    workdir: user.workdir,
    apiRoot: user.api_root,
    proxy: user.proxy,
    webhook: user.webhook && {
      url: user.webhook.url,
      host: user.webhook.host ?? '127.0.0.1',
      port: user.webhook.port ?? 8443,
      secretEnv: user.webhook.secret_env,
    },
  };
}

function webSettings(user: Partial<NonNullable<UserConfig['web']>> = {}): WebSettings {
  return {
    isEnabled: user.enabled ?? true,
    host: user.host ?? '127.0.0.1',
    port: user.port,
    isExposed: user.expose ?? false,
    allowedHosts: user.allowed_hosts ?? [],
    workdir: user.workdir,
  };
}

function browserSettings(user: Partial<NonNullable<UserConfig['browser']>> = {}): BrowserSettings {
  const limitMs = (user.command_timeout ?? 30) * 1000;
  return {
    executable: user.executable_path,
    idleMs: (user.inactivity_timeout ?? 300) * 1000,
    limitMs,
    navigationMs: Math.max(60_000, limitMs),
    sandbox: user.sandbox ?? 'auto',
    allowPrivate: user.allow_private ?? [],
  };
}

function zeroIsNone(limit: number): number | undefined {
  return limit === 0 ? undefined : limit;
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
