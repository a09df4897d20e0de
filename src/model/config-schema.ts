import type { JsonObject } from '../base/json.ts';
import { busyModes } from './busy-mode.ts';
import { mcpServersSchema, toolsSchema } from './mcp-schema.ts';
import { boolean, integer, list, number, object, oneOf, oneOrMany, optional, record, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { searchBackends } from './search-settings.ts';
import { terminalSchema } from './terminal-schema.ts';

const apiModes = ['chat_completions', 'anthropic_messages', 'codex_responses'] as const;
const efforts = ['minimal', 'low', 'medium', 'high'] as const;

const apiMode = optional(oneOf(apiModes, 'the wire protocol; left out: the one that the vendor is known for'));
const privatePlace = string('a name, an address or a network, with :port where it is an unusual one', {
  minLength: 1,
  examples: ['nas.local', '192.168.1.20:8080'],
});
const keyEnv = optional(
  oneOrMany(
    string('a name', { minLength: 1 }),
    'the variable that holds the key, where it is not the usual one; a list of them is used in turn when a key is limited or refused',
  ),
);
const keyCommand = optional(
  oneOrMany(
    string('a command', { minLength: 1 }),
    'a command that prints the key; it runs when the key is first needed, and again when the key is refused; a list of them is used in turn',
  ),
);
const contextLength = optional(
  integer('how many tokens the model can read at once, where it is not the usual number', { minimum: 1024 }),
);

const place = {
  model: optional(string('the model to ask; left out: the usual one of the provider', { minLength: 1 })),
  base_url: optional(string('the address of the API')),
  api_mode: apiMode,
  key_env: keyEnv,
  key_command: keyCommand,
  context_length: contextLength,
};

const standIn = object({
  provider: string('the vendor, or "custom" with a base_url', { minLength: 1 }),
  ...place,
});

const usd = (what: string): ReturnType<typeof optional<number>> =>
  optional(number(`the most that ${what} may cost, in US dollars`, { minimum: 0 }));

const perMillion = (what: string): ReturnType<typeof optional<number>> =>
  optional(number(`US dollars for a million tokens ${what}`, { minimum: 0 }));

const webhook = object(
  {
    url: string('the public https:// address that Telegram brings messages to', { minLength: 1 }),
    host: optional(string('where the program listens for them (127.0.0.1)', { minLength: 1 })),
    port: optional(integer('and on which port (8443)', { minimum: 0, maximum: 65_535 })),
    secret_env: optional(
      string('the variable that holds the secret by which Telegram is known; left out: a new one at every start', {
        minLength: 1,
      }),
    ),
  },
  'lets Telegram bring messages, instead of asking for them',
);

const busyInputMode = optional(
  oneOf(busyModes, 'what a message does while a turn runs: joins it, waits behind it, or stops it (steer)'),
);

const sections = {
  model: object(
    {
      default: optional(string('the model to ask, by the name its vendor gives it, or an alias', { minLength: 1 })),
      provider: optional(string('the vendor, or "custom" with a base_url; left out: the first one that has a key')),
      base_url: optional(string('the address of the API, up to and including /v1')),
      api_mode: apiMode,
      key_env: keyEnv,
      key_command: keyCommand,
      context_length: contextLength,
      max_output_tokens: optional(integer('the longest answer to ask for, in tokens', { minimum: 1 })),
      reasoning_effort: optional(oneOf(efforts, 'how hard to think, where the model can be told')),
      cache_ttl: optional(oneOf(['5m', '1h'], 'how long a Claude keeps the beginning of a conversation ready (5m)')),
      aliases: optional(record(string('provider:model', { minLength: 1 }), 'short names for models')),
    },
    'which model answers',
  ),
  fallback: oneOrMany(
    standIn,
    'who answers for the rest of a turn when the model cannot; one entry or a list, tried in order',
  ),
  providers: record(
    object(place),
    'where else models are asked for as provider:model, by provider; `talaria model set` keeps the old default here',
  ),
  compression: object(
    {
      enabled: optional(boolean('whether long conversations are shortened by themselves (true)')),
      threshold: optional(
        number('the share of the window at which that happens (0.7)', { minimum: 0.1, maximum: 0.95 }),
      ),
      target_ratio: optional(
        number('how much of that share stays word for word, newest first (0.2)', { minimum: 0.05, maximum: 0.8 }),
      ),
      protect_last_n: optional(integer('the fewest newest messages that stay word for word (4)', { minimum: 1 })),
      model: optional(string('who writes the summary, as provider:model; left out: the model that answers')),
    },
    'what happens when a conversation outgrows the window of its model',
  ),
  limits: object(
    {
      per_turn: usd('one turn'),
      per_session: usd('one session'),
      per_person: usd('one person in a day'),
      per_day: usd('a day'),
      per_month: usd('a month'),
      when_reached: optional(oneOf(['ask', 'stop'], 'what happens then (stop)')),
    },
    'limits of money; none unless set',
  ),
  prices: record(
    object({
      input: perMillion('read'),
      output: perMillion('put out'),
      cache_read: perMillion('read from the cache'),
      cache_write: perMillion('written to the cache'),
    }),
    'prices of models that are not known, by provider:model',
  ),
  agent: object(
    {
      max_turns: optional(integer('how many model calls one turn may make', { minimum: 1, maximum: 1000 })),
      gateway_timeout: optional(
        integer('seconds in which nothing may happen before a turn is ended as stuck; 0 allows any (1800)', {
          minimum: 0,
        }),
      ),
      clarify_timeout: optional(
        integer('seconds that a question of the model waits for an answer, before it decides by itself (600)', {
          minimum: 1,
        }),
      ),
      restart_drain_timeout: optional(
        integer('seconds that running turns get to end when the gateway is stopped; what is left goes on later (60)', {
          minimum: 0,
          maximum: 3600,
        }),
      ),
      system_prompt: optional(string('what is added to the end of the system prompt')),
      disabled_toolsets: optional(list(string('a name'), 'tools to leave out: "file", "terminal", "web", "browser"')),
    },
    'how a turn is run',
  ),
  platform_toolsets: record(
    list(string('a toolset'), 'the toolsets of the platform'),
    'which tools each platform gets, by its name: terminal, telegram; all unless set',
  ),
  agent_cache: object(
    {
      max_agents: optional(integer('how many sessions are kept ready to go on; 0 keeps all (128)', { minimum: 0 })),
      max_mb: optional(integer('about how much memory they may take; 0 allows any (256)', { minimum: 0 })),
      idle_ttl: optional(integer('seconds after which an idle one is let go of (3600)', { minimum: 1 })),
    },
    'sessions that are kept ready in memory; one that was let go of is made ready again by its next message',
  ),
  approvals: object(
    {
      timeout: optional(
        integer('seconds in which a question must be answered; silence is a no (600)', {
          minimum: 10,
          maximum: 86_400,
        }),
      ),
    },
    'questions whether something may be done',
  ),
  display: object(
    {
      busy_input_mode: busyInputMode,
      platforms: optional(
        record(object({ busy_input_mode: busyInputMode }), 'the same for one platform: terminal, telegram'),
      ),
    },
    'how it behaves in a chat',
  ),
  telegram: object(
    {
      token_env: optional(
        string('the variable that holds the token of the bot (TELEGRAM_BOT_TOKEN)', { minLength: 1 }),
      ),
      allow: optional(
        oneOrMany(
          integer('the number of an account; of a group that writes as itself, below zero'),
          'who may talk to it besides those who were let in by a code; nobody unless set',
        ),
      ),
      groups: optional(
        oneOf(['addressed', 'all', 'off'], 'whom it hears in groups: who speaks to it, everyone, nobody (addressed)'),
      ),
      workdir: optional(string('the folder that new conversations work in (your home folder)', { minLength: 1 })),
      api_root: optional(string('the address of a Bot API server of your own', { minLength: 1 })),
      proxy: optional(
        string('the proxy on the way to Telegram, http:// or https://; left out: as HTTPS_PROXY says', {
          minLength: 1,
        }),
      ),
      webhook: optional(webhook),
    },
    'the Telegram bot',
  ),
  speech: object(
    {
      base_url: optional(string('the address of an API with /audio/transcriptions, up to and including /v1')),
      model: optional(string('who listens (whisper-1)', { minLength: 1 })),
      key_env: optional(string('the variable that holds the key; left out: none is sent', { minLength: 1 })),
    },
    'who writes down what voice notes say; nobody unless set',
  ),
  web: object(
    {
      enabled: optional(boolean('whether `talaria gateway` serves the chat page (true)')),
      host: optional(string('the address to listen at (127.0.0.1)', { minLength: 1 })),
      port: optional(integer('the port; 0 is any free one (8787, or a free one)', { minimum: 0, maximum: 65_535 })),
      expose: optional(boolean('allows a host that other machines can reach (false)')),
      allowed_hosts: optional(
        oneOrMany(
          string('a name, with :port where it is not 80 or 443', { minLength: 1 }),
          'names under which browsers may reach it besides this machine itself, such as that of a proxy',
        ),
      ),
      workdir: optional(string('the folder that new conversations work in (your home folder)', { minLength: 1 })),
    },
    'the chat page in the browser',
  ),
  search: object(
    {
      backend: optional(
        oneOf(
          searchBackends,
          'who searches; left out: the first that there is an address or a key for, or else duckduckgo',
        ),
      ),
      base_url: optional(string('the address of your SearXNG, or another one of the others', { minLength: 1 })),
      key_env: optional(string('the variable that holds the key (BRAVE_API_KEY, TAVILY_API_KEY)', { minLength: 1 })),
      allow_private: optional(
        oneOrMany(
          privatePlace,
          'what may be fetched though it is not on the public internet, such as nas.local; nothing unless set',
        ),
      ),
    },
    'the tools for the web: search, and which pages may be fetched',
  ),
  browser: object(
    {
      executable_path: optional(string('the Chromium to use; left out: the one that is installed', { minLength: 1 })),
      inactivity_timeout: optional(
        integer('seconds after which the browser of a session is closed; it goes on where it was (300)', {
          minimum: 30,
        }),
      ),
      command_timeout: optional(
        integer('seconds that a page has for an act; to load it has at least 60 (30)', { minimum: 5, maximum: 600 }),
      ),
      sandbox: optional(oneOf(['auto', 'off'], 'whether Chromium locks pages away from the system (auto: if it can)')),
      allow_private: optional(
        oneOrMany(
          privatePlace,
          'what may be opened though it is not on the public internet, such as nas.local; nothing unless set',
        ),
      ),
    },
    'the browser that the model uses',
  ),
  session_reset: object(
    {
      mode: optional(
        oneOf(
          ['off', 'none', 'idle', 'daily', 'both'],
          'whether a chat begins a new session by itself: never (off or none), after a time without a message, every day, or at either (idle)',
        ),
      ),
      idle_minutes: optional(integer('minutes without a message, for idle (1440)', { minimum: 1 })),
      at_hour: optional(integer('the hour of your day, for daily (4)', { minimum: 0, maximum: 23 })),
      notify: optional(boolean('whether the chat is told (true)')),
    },
    'when a chat begins anew; the old session is kept. A terminal begins one at every start',
  ),
  storage: object(
    { retention_days: optional(integer('days after which an idle session is deleted; 0 keeps all', { minimum: 0 })) },
    'the database',
  ),
};

/** Everything that `config.yaml` can say. The JSON schema for editors is made from this. */
export const configSchema = object({
  model: optional(sections.model),
  fallback: optional(sections.fallback),
  providers: optional(sections.providers),
  compression: optional(sections.compression),
  limits: optional(sections.limits),
  prices: optional(sections.prices),
  agent: optional(sections.agent),
  platform_toolsets: optional(sections.platform_toolsets),
  agent_cache: optional(sections.agent_cache),
  terminal: optional(terminalSchema),
  approvals: optional(sections.approvals),
  tools: optional(toolsSchema),
  mcp_servers: optional(mcpServersSchema),
  display: optional(sections.display),
  telegram: optional(sections.telegram),
  speech: optional(sections.speech),
  web: optional(sections.web),
  search: optional(sections.search),
  browser: optional(sections.browser),
  session_reset: optional(sections.session_reset),
  group_sessions_per_user: optional(boolean('whether each member of a group has a session of their own there (true)')),
  thread_sessions_per_user: optional(
    boolean('the same for the topics of a group, which are shared unless set (false)'),
  ),
  storage: optional(sections.storage),
});

/** The JSON schema of `config.yaml`, for editors. */
export const configJsonSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Talaria configuration',
  ...configSchema.json,
};

export type UserConfig = ValueOf<typeof configSchema>;
