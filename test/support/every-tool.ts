import { isJsonObject } from '../../src/base/json.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { peer } from '../tools/mcp/open-servers.ts';
import { noBrowser } from './browser.ts';
import { callsTool, says } from './model-script.ts';
import type { ModelScript, SeenRequest } from './model-script.ts';
import { startWebSite } from './web-site.ts';
import type { WebSite } from './web-site.ts';

/** One call of the model, and what it is to read of it. */
export interface ToolUse {
  readonly tool: string;
  /** Text goes over the wire as it is. It may need to know what the last call came to. */
  readonly input: JsonObject | string | ((last: string) => JsonObject);
  readonly reads: RegExp;
}

/** What the model is to do with tools that come out differently where nobody can be asked or written to. */
export interface Surroundings {
  readonly answered: RegExp;
  readonly sent: RegExp;
}

const idIn = (text: string): string => /proc_[0-9a-f]+/.exec(text)?.[0] ?? 'none';

/** Each tool as it is meant, one after the other. */
export function goodUses(site: WebSite, { answered, sent }: Surroundings): readonly ToolUse[] {
  const running = 'read line; echo "heard $line"';
  return withoutMissing([
    { tool: 'terminal', input: { command: 'mkdir nest; cd nest; export WHO=heron' }, reads: /^\[no output\]$/ },
    { tool: 'terminal', input: { command: 'echo "$WHO in ${PWD##*/}"' }, reads: /^heron in nest$/ },
    { tool: 'terminal', input: { command: running, background: true }, reads: /^Started proc_/ },
    {
      tool: 'process',
      input: (last) => ({ action: 'write', id: idIn(last), text: 'ahoy\n' }),
      reads: /^Written to proc_/,
    },
    {
      tool: 'process',
      input: (last) => ({ action: 'wait', id: idIn(last) }),
      reads: /^heard ahoy\n.*ended with exit code 0/,
    },
    {
      tool: 'write_file',
      input: { path: 'birds', content: 'heron\ngull\n' },
      reads: /^created \/.*\/nest\/birds \(11 b/,
    },
    { tool: 'patch', input: { path: 'birds', old_string: 'gull', new_string: 'tern' }, reads: /\n-gull\n\+tern$/ },
    { tool: 'search_files', input: { pattern: 'ter.' }, reads: /^birds\n2:tern\n\[1 match in / },
    { tool: 'read_file', input: { path: 'birds' }, reads: /^1\|heron\n2\|tern\n\[lines 1-2 of 2 / },
    { tool: 'web_search', input: { query: 'herons' }, reads: /^1 result of SearXNG\n.*1\. Herons/s },
    { tool: 'web_fetch', input: { url: `${site.origin}/` }, reads: /\nHerons eat fish\.\n/ },
    { tool: 'browser', input: { action: 'open', url: `${site.origin}/` }, reads: /Herons eat fish\./ },
    { tool: 'tool_search', input: { query: 'echo' }, reads: /mcp_sea_echo: Does echo\./ },
    {
      tool: 'tool_call',
      input: { name: 'mcp_sea_echo', arguments: { text: 'ahoy' } },
      reads: /from="the MCP server sea">\n.*\nahoy\n/,
    },
    { tool: 'todo', input: { todos: [{ id: '1', content: 'rest' }] }, reads: /^\[ \] 1: rest\n0 of 1 done$/ },
    { tool: 'clarify', input: { question: 'Which colour?', choices: ['blue', 'red'] }, reads: answered },
    { tool: 'send_message', input: { text: 'A word besides.' }, reads: sent },
  ]);
}

/**
 * Each tool with arguments that mean something that is not there, and then with those that do not fit: three calls in a row
 * that fit no tool would end the turn.
 */
export function badUses(site: WebSite): readonly ToolUse[] {
  const misfit = /^ERROR: the arguments (?:of \w+ )?do not fit: \w/;
  const uses = badPairs(site).flatMap(([tool, unfit, missing, reads]) => [
    { tool, input: missing, reads },
    { tool, input: unfit, reads: misfit },
  ]);
  const unknown = {
    tool: 'send_mesage',
    input: {},
    reads: /^ERROR: there is no tool named send_mesage; the tools are t/,
  };
  return withoutMissing([...uses, unknown]);
}

/** A tool, what does not fit it, what fits and is not there, and what is read of that. */
type BadPair = readonly [tool: string, unfit: JsonObject, missing: JsonObject, reads: RegExp];

function badPairs(site: WebSite): readonly BadPair[] {
  return [
    [
      'tool_call',
      { name: 'mcp_sea_echo', arguments: {} },
      { name: 'mcp_sea_none', arguments: {} },
      /^ERROR: there is no tool of that name/,
    ],
    ['terminal', { command: 7 }, { command: 'no-such-program' }, /not found\n\[exit code 127/],
    ['process', { action: 'restart' }, { action: 'read', id: 'proc_0' }, /^ERROR: there is no process proc_0 .* list /],
    [
      'read_file',
      { path: 'a', limit: 'all' },
      { path: 'bird' },
      /^ERROR: there is no \/.*\/bird; similar: \/.*\/birds$/,
    ],
    ['write_file', { path: 'a' }, { path: '.', content: 'x' }, /^ERROR: \/.* is a folder; give the path of a file/],
    [
      'patch',
      { path: 'birds', old_string: '', new_string: 'x' },
      { path: 'birds', old_string: 'herron', new_string: 'x' },
      /^ERROR: old_string was not found in \/.*birds; nearest:\n.*1\|heron/s,
    ],
    ['search_files', { pattern: 'x', target: 'all' }, { pattern: 'x', path: 'bird' }, /^ERROR: .*; similar: /],
    ['web_fetch', { url: '' }, { url: `${site.origin}/gone` }, /^ERROR: .*404/],
    ['web_search', { query: 'a', limit: 1.5 }, { query: 'nothing' }, /^SearXNG found nothing for that\.$/],
    ['browser', { action: 'download' }, { action: 'click', ref: 'e999' }, /^ERROR: .*e999/],
    ['tool_search', { query: 'a', limit: 100 }, { query: 'zzz' }, /^No tool fits; try other words\.$/],
    ['todo', { todos: [{ content: 'nameless' }] }, { todos: [{ id: '9' }] }, /^ERROR: the item 9 has no content$/],
    ['clarify', { question: 'a', choices: 'b' }, { question: ' ' }, /^ERROR: the question is empty$/],
    ['send_message', { to: 'home' }, { text: 'Hello?', to: 'telegram:9' }, /^ERROR: there is no chat telegram:9 /],
  ];
}

/** Its tests would all be about its absence. */
function withoutMissing(uses: readonly ToolUse[]): readonly ToolUse[] {
  return noBrowser === false ? uses : uses.filter(({ tool }) => tool !== 'browser');
}

/** The site that the uses look at. */
export async function startToolSite(): Promise<WebSite> {
  return await startWebSite({
    '/': '<title>Birds</title><p>Herons eat fish.</p>',
    '/search': ({ path }, response) => {
      const hit = { url: 'https://a.example/heron', title: 'Herons', content: 'Birds.' };
      response.end(JSON.stringify({ results: path.includes('herons') ? [hit] : [] }));
    },
  });
}

/** Settings with which all tools are there. */
export function everyToolSettings(site: WebSite, notes: string): JsonObject {
  return {
    search: { base_url: site.origin, allow_private: site.host },
    browser: { allow_private: site.host },
    mcp_servers: { sea: peer('usual', notes) },
    tools: { tool_search: { enabled: 'on' } },
  };
}

/** A model that does one thing after the other, and says so at the end. */
export function doesAll(uses: readonly ToolUse[]): ModelScript {
  return (request, index) => {
    const use = uses[index];
    if (use === undefined) return says('That was all.');
    const { input } = use;
    return callsTool(use.tool, typeof input === 'function' ? input(lastRead(request)) : input);
  };
}

/** The uses of which the model read something else, with what it read. */
export function findMisread(uses: readonly ToolUse[], requests: readonly SeenRequest[]): readonly string[] {
  return uses.flatMap(({ tool, input, reads }, index) => {
    const text = lastRead(requests[index + 1]);
    return reads.test(text) ? [] : [`${tool} ${JSON.stringify(input)} is to read ${reads.source}, and read ${text}`];
  });
}

function lastRead(request: SeenRequest | undefined): string {
  const results = messagesOf(request).filter((message) => isJsonObject(message) && message['role'] === 'tool');
  const last = results.at(-1);
  return isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '';
}

function messagesOf(request: SeenRequest | undefined): readonly Json[] {
  const messages = request?.json?.['messages'];
  return Array.isArray(messages) ? messages : [];
}

/** The tools that the model was offered, but for a browser where there is none. */
export function offeredTools(request: SeenRequest | undefined): readonly string[] {
  const tools = (request?.json?.['tools'] ?? []) as readonly { readonly function: { readonly name: string } }[];
  return tools.map((tool) => tool.function.name).filter((name) => name !== 'browser' || noBrowser === false);
}
