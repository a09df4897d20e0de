import { boolean, integer, list, object, oneOf, oneOrMany, optional, record, string } from './schema.ts';

const names = (what: string): ReturnType<typeof optional<readonly string[]>> =>
  optional(oneOrMany(string('the name that the server gives it', { minLength: 1 }), what));

const server = object({
  command: optional(string('the program to start, for a server that speaks on stdin and stdout', { minLength: 1 })),
  args: optional(list(string('an argument'), 'what it is started with')),
  env: optional(
    record(string('a value; ${NAME} is filled in'), 'variables that it sees besides the usual ones; no key of ours'),
  ),
  cwd: optional(string('the folder that it is started in (your home folder)', { minLength: 1 })),
  url: optional(string('the address, for a server that speaks over HTTP', { minLength: 1 })),
  headers: optional(record(string('a value; ${NAME} is filled in'), 'sent with every request')),
  oauth: optional(
    object(
      {
        client_id: optional(
          string('as whom the program is known there; left out: it registers itself', { minLength: 1 }),
        ),
        client_secret_env: optional(string('the variable that holds the secret that goes with it', { minLength: 1 })),
        scope: optional(string('what is asked for; left out: what the server says', { minLength: 1 })),
        redirect_port: optional(
          integer('the port that the browser comes back to (any free one)', { minimum: 1, maximum: 65_535 }),
        ),
      },
      'how `talaria mcp login` logs in at a server that asks for it',
    ),
  ),
  timeout: optional(integer('seconds in which a call may show no sign of life (120)', { minimum: 1, maximum: 3600 })),
  connect_timeout: optional(integer('seconds to connect in (60)', { minimum: 1, maximum: 600 })),
  enabled: optional(boolean('whether it is used (true)')),
  trust: optional(boolean('whether its tools run without asking (false)')),
  tools: optional(
    object({
      include: names('only these'),
      exclude: names('all but these, where include says nothing'),
      allow: names('these run without asking'),
    }),
  ),
});

/** What `config.yaml` can say about MCP servers, by the names that the user gives them. */
export const mcpServersSchema = record(server, 'MCP servers, by name: where more tools come from');

export const toolsSchema = object(
  {
    tool_search: optional(
      object({
        enabled: optional(
          oneOf(['auto', 'on', 'off'], 'whether tools of MCP servers are found on demand: when they are many (auto)'),
        ),
        threshold_pct: optional(
          integer('the share of the window, in percent, from which on they are many (10)', {
            minimum: 1,
            maximum: 100,
          }),
        ),
      }),
    ),
  },
  'how tools are told to the model',
);
