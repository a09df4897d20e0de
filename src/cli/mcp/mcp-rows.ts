import type { CommandRow } from '../command.ts';
import { help, json } from '../usual-options.ts';

/** The commands around MCP servers. */
export const mcpRows: readonly CommandRow[] = [
  {
    name: 'mcp add',
    aliases: [],
    summary: 'add an MCP server to the settings, once it has answered',
    words: { label: 'NAME', atLeast: 1, atMost: Infinity },
    options: [
      { name: 'url', value: 'URL', summary: 'the address of a server that speaks over HTTP' },
      { name: 'header', value: 'NAME=VALUE', summary: 'sent with every request; may be given several times' },
      { name: 'env', value: 'NAME=VALUE', summary: 'a variable that its program sees; may be given several times' },
      { name: 'cwd', value: 'FOLDER', summary: 'the folder that its program is started in (your home folder)' },
      { name: 'timeout', value: 'SECONDS', summary: 'how long a call may show no sign of life (120)' },
      { name: 'trust', summary: 'run its tools without asking' },
      { name: 'no-check', summary: 'do not connect to it first' },
      { name: 'force', short: 'f', summary: 'replace one that has this name' },
      json,
      help,
    ],
    details: [
      'A program and its arguments stand behind --, so that their options are not taken for ours.',
      'In values of --env and --header, and in the address, ${NAME} stands for what .env or the environment has under that\nname: write secrets there, not here.',
      "Examples:\n  talaria mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes\n  talaria mcp add tides --url https://tides.example/mcp --header 'Authorization=Bearer ${TIDES_TOKEN}'",
    ],
  },
  {
    name: 'mcp remove',
    aliases: ['rm'],
    summary: 'take an MCP server out of the settings',
    words: { label: 'NAME', atLeast: 1, atMost: 1 },
    options: [help],
    details: [],
  },
  {
    name: 'mcp login',
    aliases: [],
    summary: 'log in at an MCP server that asks for it',
    words: { label: 'NAME', atLeast: 1, atMost: 1 },
    options: [
      { name: 'scope', value: 'SCOPE', summary: 'ask for this as well, where a login does not cover what you need' },
      { name: 'no-browser', summary: 'only show the address' },
      help,
    ],
    details: [
      'It opens a browser where there is one, and shows the address in any case. On a machine without a browser, open the\naddress on another one, and paste here where that browser ends up.',
      'The login is kept in the home, for your eyes only, and renewed by itself.',
    ],
  },
  {
    name: 'mcp logout',
    aliases: [],
    summary: 'forget the login at an MCP server',
    words: { label: 'NAME', atLeast: 1, atMost: 1 },
    options: [help],
    details: [],
  },
  {
    name: 'mcp list',
    aliases: ['ls'],
    summary: 'the MCP servers of the settings',
    words: { label: '', atLeast: 0, atMost: 0 },
    options: [json, help],
    details: [],
  },
  {
    name: 'mcp test',
    aliases: ['check'],
    summary: 'connect to MCP servers and list their tools; without a NAME to all',
    words: { label: 'NAME', atLeast: 0, atMost: 1 },
    options: [json, help],
    details: [],
  },
];
