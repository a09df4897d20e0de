import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import type {
  Config,
  ModelChoice,
  PriceSettings,
  ResetSettings,
  TelegramSettings,
  WebSettings,
} from '../../model/config.ts';
import type { SearchSettings } from '../../model/search-settings.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { serversAsWritten } from './show-mcp.ts';

const megabyte = 1024 * 1024;

export const showConfig: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const { config, source, warnings } = await deps.readSettings();
  const settings = asWritten(config);
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: true, source, settings, warnings })}\n`);
    return exitCodes.done;
  }
  for (const warning of warnings) stderr.write(`${warning}\n`);
  stdout.write(renderSettings(settings));
  return exitCodes.done;
};

/** The settings under the names that they have in the file. Pure. */
export function asWritten({ model, fallback, providers, compaction, limits, prices, ...rest }: Config): Json {
  return {
    model: {
      ...choiceAsWritten(model),
      max_output_tokens: model.maxOutputTokens ?? null,
      reasoning_effort: model.effort ?? null,
      cache_ttl: model.cacheLife,
      aliases: model.aliases,
    },
    fallback: fallback.map(({ default: name, ...choice }) => {
      const { default: _, ...written } = choiceAsWritten({ ...choice, default: undefined });
      return { model: name ?? null, ...written };
    }),
    providers: Object.fromEntries(
      Object.entries(providers).map(([provider, { default: name, ...choice }]) => {
        const { default: _, provider: __, ...written } = choiceAsWritten({ ...choice, default: undefined });
        return [provider, { model: name ?? null, ...written }];
      }),
    ),
    compression: {
      enabled: compaction.isAutomatic,
      threshold: compaction.threshold,
      target_ratio: compaction.targetRatio,
      protect_last_n: compaction.protectLast,
      model: compaction.model ?? null,
    },
    limits: limitsAsWritten(limits),
    prices: Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, priceAsWritten(price)])),
    agent: agentAsWritten(rest.agent),
    platform_toolsets: Object.fromEntries(
      Object.entries(rest.platformToolsets).map(([platform, toolsets]) => [platform, [...toolsets]]),
    ),
    agent_cache: {
      max_agents: rest.agentCache.maxAgents ?? 0,
      max_mb: (rest.agentCache.maxBytes ?? 0) / megabyte,
      idle_ttl: rest.agentCache.idleMs / 1000,
    },
    terminal: terminalAsWritten(rest.terminal),
    approvals: { timeout: rest.approvals.timeoutMs / 1000 },
    tools: {
      tool_search: { enabled: rest.toolSearch.mode, threshold_pct: Math.round(rest.toolSearch.threshold * 100) },
    },
    mcp_servers: serversAsWritten(rest.mcpServers),
    display: displayAsWritten(rest.display),
    telegram: telegramAsWritten(rest.telegram),
    speech: {
      base_url: rest.speech.baseUrl ?? null,
      model: rest.speech.model,
      key_env: rest.speech.keyEnv ?? null,
    },
    web: webAsWritten(rest.web),
    search: searchAsWritten(rest.search),
    browser: browserAsWritten(rest.browser),
    session_reset: resetAsWritten(rest.sessionReset),
    group_sessions_per_user: rest.memberSessions.inGroups,
    thread_sessions_per_user: rest.memberSessions.inThreads,
    storage: { retention_days: rest.storage.retentionDays },
  };
}

function agentAsWritten(agent: Config['agent']): JsonObject {
  return {
    max_turns: agent.maxSteps,
    gateway_timeout: (agent.inactivityMs ?? 0) / 1000,
    clarify_timeout: agent.clarifyMs / 1000,
    restart_drain_timeout: agent.drainMs / 1000,
    system_prompt: agent.ephemeralPrompt,
    disabled_toolsets: [...agent.disabledToolsets],
  };
}

function terminalAsWritten({ sandbox, backend, ssh, docker, ...terminal }: Config['terminal']): JsonObject {
  return {
    timeout: terminal.timeoutMs / 1000,
    env_passthrough: [...terminal.envPassthrough],
    sandbox: sandbox.mode,
    sandbox_network: sandbox.network === 'shared',
    backend,
    ssh: {
      host: ssh.host ?? null,
      user: ssh.user ?? null,
      port: ssh.port ?? null,
      key_file: ssh.keyFile ?? null,
      known_hosts_file: ssh.knownHostsFile ?? null,
    },
    docker: {
      image: docker.image ?? null,
      container: docker.container ?? null,
      command: docker.command,
      network: docker.network,
      memory_mb: docker.memoryMb,
      pids_limit: docker.pidsLimit,
    },
  };
}

function webAsWritten(web: WebSettings): JsonObject {
  return {
    enabled: web.isEnabled,
    host: web.host,
    port: web.port ?? null,
    expose: web.isExposed,
    allowed_hosts: [...web.allowedHosts],
    workdir: web.workdir ?? null,
  };
}

function browserAsWritten(browser: Config['browser']): JsonObject {
  return {
    executable_path: browser.executable ?? null,
    inactivity_timeout: browser.idleMs / 1000,
    command_timeout: browser.limitMs / 1000,
    sandbox: browser.sandbox,
    allow_private: [...browser.allowPrivate],
  };
}

function searchAsWritten(search: SearchSettings): JsonObject {
  return {
    backend: search.backend ?? null,
    base_url: search.baseUrl ?? null,
    key_env: search.keyEnv ?? null,
    allow_private: [...search.allowPrivate],
  };
}

function choiceAsWritten(choice: ModelChoice): JsonObject {
  return {
    default: choice.default ?? null,
    provider: choice.provider ?? null,
    base_url: choice.baseUrl ?? null,
    api_mode: choice.apiMode ?? null,
    key_env: choice.keyEnv.length === 0 ? null : [...choice.keyEnv],
    key_command: choice.keyCommands.length === 0 ? null : [...choice.keyCommands],
    context_length: choice.contextLength ?? null,
  };
}

function limitsAsWritten(limits: Config['limits']): JsonObject {
  return {
    per_turn: limits.perTurn ?? null,
    per_session: limits.perSession ?? null,
    per_person: limits.perPerson ?? null,
    per_day: limits.perDay ?? null,
    per_month: limits.perMonth ?? null,
    when_reached: limits.whenReached,
  };
}

function displayAsWritten({ busyMode, busyModes }: Config['display']): JsonObject {
  const platforms = Object.entries(busyModes).map(([platform, mode]) => [platform, { busy_input_mode: mode }]);
  return { busy_input_mode: busyMode, platforms: Object.fromEntries(platforms) as JsonObject };
}

function telegramAsWritten({ webhook, ...telegram }: TelegramSettings): JsonObject {
  return {
    token_env: telegram.tokenEnv,
    allow: [...telegram.allow],
    groups: telegram.groups,
    workdir: telegram.workdir ?? null,
    api_root: telegram.apiRoot ?? null,
    proxy: telegram.proxy ?? null,
    webhook: webhook
      ? { url: webhook.url, host: webhook.host, port: webhook.port, secret_env: webhook.secretEnv ?? null }
      : null,
  };
}

function resetAsWritten({ mode, idleMs, atHour, notify }: ResetSettings): JsonObject {
  return { mode, idle_minutes: idleMs / 60_000, at_hour: atHour, notify };
}

function priceAsWritten(price: PriceSettings): JsonObject {
  return {
    input: price.input ?? null,
    output: price.output ?? null,
    cache_read: price.cacheRead ?? null,
    cache_write: price.cacheWrite ?? null,
  };
}

/** Settings as YAML that can be pasted into the file; what is not set is a comment. Pure. */
export function renderSettings(settings: Json, indent = ''): string {
  if (!isJsonObject(settings)) return '';
  return Object.entries(settings)
    .map(([key, value]) => {
      if (isJsonObject(value) && Object.keys(value).length > 0)
        return `${indent}${key}:\n${renderSettings(value, `${indent}  `)}`;
      if (value === null) return `${indent}# ${key}: not set\n`;
      return `${indent}${key}: ${JSON.stringify(value)}\n`;
    })
    .join('');
}
