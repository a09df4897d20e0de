import { AppError } from '../../base/errors.ts';
import type { McpServerSettings } from '../../model/mcp-settings.ts';
import { describeIgnoredServers } from '../../model/project-servers.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { oneLine } from '../render/one-line.ts';
import type { McpTest } from './mcp-desk.ts';
import { openHere } from './open-here.ts';

const longestDescription = 90;

export const listServers: CommandFunction = async (args, deps) => {
  const desk = await openHere(deps);
  const { servers, warnings, path, ignored } = desk;
  const { stdout, stderr } = deps.process;
  const rows = Object.entries(servers).map(([name, server]) => ({
    name,
    ...describeServer(server),
    login: desk.loginAt(name),
    project: desk.projectOf(name),
  }));
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ path, servers: rows, ignored })}\n`);
    return exitCodes.done;
  }
  for (const warning of warnings) stderr.write(`${neutralise(`talaria: ${warning}`)}\n`);
  const lines = rows.map(({ name, place, trust, isEnabled, login, project }) => {
    const without = trust === 'nothing' ? '' : `  (runs without asking: ${trust})`;
    return `${name}  ${place}${isEnabled ? '' : '  (off)'}${without}${project === undefined ? '' : `  (of ${project})`}${loginTexts[login](name)}`;
  });
  if (lines.length === 0)
    lines.push('There is no MCP server in the settings. To add one: talaria mcp add NAME -- COMMAND');
  stdout.write(`${neutralise(lines.join('\n'))}\n`);
  if (ignored !== undefined) stderr.write(`${neutralise(`talaria: ${describeIgnoredServers(ignored)}`)}\n`);
  return exitCodes.done;
};

const loginTexts: Readonly<Record<'none' | 'needed' | 'held', (name: string) => string>> = {
  none: () => '',
  needed: (name) => `  (needs login: talaria mcp login ${name})`,
  held: () => '  (logged in)',
};

/** Headers and variables may hold secrets, so that neither is shown. */
function describeServer({ place, trust, isEnabled }: McpServerSettings): {
  readonly place: string;
  readonly trust: string;
  readonly isEnabled: boolean;
} {
  const allowed = trust === 'all' ? 'everything' : trust.join(', ');
  return { place: describePlace(place), trust: allowed === '' ? 'nothing' : allowed, isEnabled };
}

function describePlace(place: McpServerSettings['place']): string {
  switch (place.type) {
    case 'stdio':
      return oneLine([place.command, ...place.args].join(' '), longestDescription);
    case 'http':
      return oneLine(place.url, longestDescription);
    case 'nowhere':
      return 'nowhere';
  }
}

/** Connects to servers and says what they offer. Exit code 1 where one does not answer. */
export const testServers: CommandFunction = async (args, deps) => {
  const desk = await openHere(deps);
  const [wanted] = args.words;
  const names = wanted === undefined ? Object.keys(desk.servers) : [wanted];
  if (wanted !== undefined && desk.servers[wanted] === undefined) {
    throw new AppError('not-found', `there is no MCP server ${wanted}`);
  }
  const tests = await Promise.all(names.map(async (name) => ({ name, test: await desk.test(name) })));
  const hasFailed = tests.some(({ test }) => test.type !== 'connected');
  const text = args.has('json')
    ? JSON.stringify(tests.map(({ name, test }) => ({ name, ...test })))
    : neutralise(tests.flatMap(({ name, test }) => describeTest(name, test)).join('\n'));
  deps.process.stdout.write(text === '' ? 'There is no MCP server in the settings.\n' : `${text}\n`);
  return hasFailed ? exitCodes.failed : exitCodes.done;
};

export function describeTest(name: string, test: McpTest): readonly string[] {
  if (test.type !== 'connected') return [`${name}: ${test.problem}`];
  const { tools } = test;
  return [
    `${name} answers, with ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}:`,
    ...tools.map((tool) => `  ${tool.name}  ${oneLine(tool.description, longestDescription)}`),
  ];
}
