import { approvalRows } from './approvals/command-rows.ts';
import type { CommandRow, GroupRow, OptionRow, WordsRow } from './command.ts';
import { gatewayRows } from './gateway/command-rows.ts';
import { mcpRows } from './mcp/mcp-rows.ts';
import { processRows } from './processes/command-rows.ts';
import { help, json, model, noWords, safe } from './usual-options.ts';

const seatOptions: readonly OptionRow[] = [
  { name: 'continue', short: 'c', summary: 'continue the last session' },
  { name: 'resume', short: 'r', value: 'ID', summary: 'continue this session; the end of its id is enough' },
  model,
];

const oneSession: WordsRow = { label: 'ID', atLeast: 1, atMost: 1 };
const oneModel: WordsRow = { label: 'NAME', atLeast: 1, atMost: 1 };
const sessionIds = 'Of an ID the end is enough, or the beginning, as long as only one session has it.';
const modelNames = 'NAME is an alias of the settings, provider:model, or a model of the configured provider.';

/** Options that stand for themselves, with or without a command. */
export const programOptions: readonly OptionRow[] = [
  help,
  { name: 'version', short: 'V', summary: 'print the version' },
];

export const groupTable: readonly GroupRow[] = [
  {
    name: 'gateway',
    summary: 'serve Telegram and the page in the browser; who may speak there',
    defaultVerb: 'run',
  },
  { name: 'sessions', summary: 'look through what was said and done', defaultVerb: 'list' },
  { name: 'processes', summary: 'what runs in the background: see it, stop it', defaultVerb: 'list' },
  { name: 'usage', summary: 'what models took, and what it cost', defaultVerb: 'show' },
  { name: 'config', summary: 'look at the settings', defaultVerb: 'show' },
  { name: 'model', summary: 'which models there are, and which one answers', defaultVerb: 'list' },
  { name: 'mcp', summary: 'MCP servers: where more tools come from', defaultVerb: 'list' },
  {
    name: 'trust',
    summary: 'whose AGENTS.md, skills and MCP servers count: folders that you trust',
    defaultVerb: 'add',
  },
  { name: 'approvals', summary: 'what you allowed for good, and who allowed what', defaultVerb: 'list' },
];

/** The one table of commands: parsing, help and suggestions are all made from it. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'chat',
    aliases: [],
    summary: 'chat in this terminal; also what the bare `talaria` does',
    words: noWords,
    options: [...seatOptions, safe, help],
    details: [
      'Ctrl-C stops what runs; Ctrl-D or /exit leaves. A line typed while it works reaches the running turn.',
      'A line that ends in \\ goes on with the next one. /help lists the slash commands.',
      '/image FILE [TEXT] shows the model a picture: PNG, JPEG, GIF or WebP.',
      'While a gateway runs on this home it attaches to that, and several terminals can talk at once.',
      'Where stdin is not a terminal, each of its lines is one message; replies go to stdout, progress to stderr.',
    ],
  },
  {
    name: 'run',
    aliases: [],
    summary: 'answer one prompt and end',
    words: { label: 'PROMPT', atLeast: 0, atMost: Infinity },
    options: [
      ...seatOptions,
      { name: 'image', short: 'i', value: 'FILE', summary: 'show it this picture; may be given several times' },
      { name: 'json', summary: 'events as JSON lines on stdout (talaria help json)' },
      { name: 'quiet', short: 'q', summary: 'no progress on stderr' },
      { name: 'yes', short: 'y', summary: 'allow what it would ask you about' },
      help,
    ],
    details: [
      'The words are the prompt. What comes in on stdin is added to it, or is the prompt if there are no words or only -.',
      'The reply goes to stdout, progress to stderr. Where nobody can be asked, what needs consent is refused, and the\nreply says so (the exit code stays 0). --yes allows it: any command, any file. What would destroy a home or a disk is\nnever run, and a limit of money is not lifted by it.',
      'Examples:\n  talaria run "what takes up space here?"\n  git diff | talaria run "review this"\n  talaria run --image photo.jpg "what is this?"',
    ],
  },
  ...gatewayRows,
  {
    name: 'sessions list',
    aliases: ['ls'],
    summary: 'the latest sessions',
    words: noWords,
    options: [
      { name: 'limit', short: 'n', value: 'COUNT', summary: 'how many (20)' },
      { name: 'all', short: 'a', summary: 'every one of them' },
      json,
      help,
    ],
    details: [],
  },
  {
    name: 'sessions show',
    aliases: [],
    summary: 'everything of one session, readable',
    words: oneSession,
    options: [json, help],
    details: [sessionIds],
  },
  {
    name: 'sessions search',
    aliases: ['find'],
    summary: 'find words in all sessions',
    words: { label: 'WORDS', atLeast: 1, atMost: Infinity },
    options: [{ name: 'limit', short: 'n', value: 'COUNT', summary: 'how many (20)' }, json, help],
    details: ['Of a long message the first 50,000 characters are searched, of what a tool printed the first 4,000.'],
  },
  {
    name: 'sessions export',
    aliases: [],
    summary: 'write a session to stdout or a file',
    words: oneSession,
    options: [
      { name: 'format', value: 'FORMAT', summary: 'markdown (the default) or json, which has everything' },
      { name: 'output', short: 'o', value: 'FILE', summary: 'write to this file, which must not exist' },
      { name: 'force', short: 'f', summary: 'replace the file if it exists' },
      help,
    ],
    details: [sessionIds],
  },
  {
    name: 'sessions delete',
    aliases: ['rm'],
    summary: 'delete sessions, everywhere they are stored',
    words: { label: 'ID', atLeast: 1, atMost: Infinity },
    options: [{ name: 'yes', short: 'y', summary: 'do not ask' }, json, help],
    details: [sessionIds],
  },
  {
    name: 'usage show',
    aliases: [],
    summary: 'tokens and money by day, model or session',
    words: noWords,
    options: [
      { name: 'days', value: 'COUNT', summary: 'the last so many days, today included (30)' },
      { name: 'since', value: 'DATE', summary: 'from this day on, such as 2026-01-31' },
      { name: 'by', value: 'WHAT', summary: 'day (the default), model or session' },
      json,
      help,
    ],
    details: [
      'Fresh tokens were read at the full price, cached ones from the cache of the server, written ones into it.',
      'One call without a known price makes the cost of its row unknown, and that of the total a lower bound.',
    ],
  },
  {
    name: 'usage why',
    aliases: [],
    summary: 'why the last turn of a session was expensive; without an ID, of the last session',
    words: { label: 'ID', atLeast: 0, atMost: 1 },
    options: [json, help],
    details: [],
  },
  {
    name: 'config show',
    aliases: [],
    summary: 'the settings in use, defaults included; never a secret',
    words: noWords,
    options: [json, help],
    details: [],
  },
  {
    name: 'config path',
    aliases: [],
    summary: 'where the settings file is',
    words: noWords,
    options: [help],
    details: [],
  },
  {
    name: 'config check',
    aliases: [],
    summary: 'what is wrong with the settings file, with line and column, and with its models',
    words: noWords,
    options: [json, help],
    details: [],
  },
  {
    name: 'config schema',
    aliases: [],
    summary: 'a JSON schema of the settings, for editors',
    words: noWords,
    options: [help],
    details: [],
  },
  {
    name: 'model list',
    aliases: ['ls'],
    summary: 'the models that the settings name, their prices and windows, and whose keys are there',
    words: noWords,
    options: [json, help],
    details: ['Prices are of a million tokens. One that is not known can be set in the settings file, under prices.'],
  },
  {
    name: 'model set',
    aliases: ['use'],
    summary: 'make a model the default, once it has answered',
    words: oneModel,
    options: [{ name: 'no-check', summary: 'do not ask it first' }, json, help],
    details: [modelNames, 'It is asked for one word, and becomes the default only if it answers.'],
  },
  {
    name: 'model check',
    aliases: ['test'],
    summary: 'ask a model for one word; without a name the default',
    words: { label: 'NAME', atLeast: 0, atMost: 1 },
    options: [json, help],
    details: [modelNames],
  },
  {
    name: 'model refresh',
    aliases: [],
    summary: 'fetch the newest prices and windows of models',
    words: noWords,
    options: [json, help],
    details: ['Nothing else ever does: prices come with the program, and the network is asked only by this command.'],
  },
  ...mcpRows,
  {
    name: 'trust add',
    aliases: [],
    summary: 'trust a folder and all below it; also what the bare `talaria trust [FOLDER]` does',
    words: { label: 'FOLDER', atLeast: 0, atMost: 1 },
    options: [
      { name: 'yes', short: 'y', summary: 'do not ask first' },
      { name: 'everything', summary: 'also your home folder, the root, or a folder that all can write to' },
      help,
    ],
    details: [
      'AGENTS.md (or .hermes.md, HERMES.md, CLAUDE.md, .cursorrules) of a trusted folder is part of the system prompt, and the\nmodel is told of its skills (.talaria/skills/NAME/SKILL.md).',
      'The MCP servers of its .mcp.json are used as the file is now; once it is changed, say it again.',
      'It shows what would count and asks; without a terminal it needs -y.',
      'Without a FOLDER it is the one that you are in. Whoever can write there can tell the model what to do.',
    ],
  },
  {
    name: 'trust list',
    aliases: ['ls'],
    summary: 'the folders that are trusted',
    words: noWords,
    options: [json, help],
    details: [],
  },
  {
    name: 'trust remove',
    aliases: ['rm'],
    summary: 'trust a folder no longer',
    words: { label: 'FOLDER', atLeast: 1, atMost: 1 },
    options: [help],
    details: [],
  },
  ...processRows,
  ...approvalRows,
  {
    name: 'doctor',
    aliases: [],
    summary: 'what works here, what does not, and the command that mends it',
    words: noWords,
    options: [json, help],
    details: [
      'It changes nothing, asks nobody beyond this machine and shows no key. It works beside a running gateway and where\nnothing else starts. Exit code 1: something is broken.',
      'A model and MCP servers are not asked here: see `talaria model check` and `talaria mcp test`.',
    ],
  },
  {
    name: 'help',
    aliases: [],
    summary: 'explain a command or a topic (exit-codes, json)',
    words: { label: 'TOPIC', atLeast: 0, atMost: 2 },
    options: [help],
    details: [],
  },
];
