import type { CommandRow, GroupRow, OptionRow, WordsRow } from './command.ts';
import { mcpRows } from './mcp/mcp-rows.ts';

const help: OptionRow = { name: 'help', short: 'h', summary: 'explain this command' };
const json: OptionRow = { name: 'json', summary: 'one JSON document on stdout' };
const model: OptionRow = {
  name: 'model',
  short: 'm',
  value: 'NAME',
  summary: 'ask this model (NAME, provider:NAME or an alias) instead',
};
const safe: OptionRow = {
  name: 'safe',
  summary: 'start with the settings of the last start that worked (docs/service.md)',
};
const seatOptions: readonly OptionRow[] = [
  { name: 'continue', short: 'c', summary: 'continue the last session' },
  { name: 'resume', short: 'r', value: 'ID', summary: 'continue this session; the end of its id is enough' },
  model,
];

const noWords: WordsRow = { label: '', atLeast: 0, atMost: 0 };
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
  { name: 'usage', summary: 'what models took, and what it cost', defaultVerb: 'show' },
  { name: 'config', summary: 'look at the settings', defaultVerb: 'show' },
  { name: 'model', summary: 'which models there are, and which one answers', defaultVerb: 'list' },
  { name: 'mcp', summary: 'MCP servers: where more tools come from', defaultVerb: 'list' },
  { name: 'trust', summary: 'whose AGENTS.md counts: folders that you trust', defaultVerb: 'add' },
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
  {
    name: 'gateway run',
    aliases: [],
    summary: 'serve the channels of the settings until Ctrl-C; also what the bare `talaria gateway` does',
    words: noWords,
    options: [model, safe, help],
    details: [
      'Telegram is served where TELEGRAM_BOT_TOKEN is set, in .env beside the settings or in the environment.',
      'The chat page is served at http://127.0.0.1:8787 unless web.enabled is false; a link that opens it is printed.',
      'On Telegram nobody has access unless telegram.allow names them or a code lets them in.',
      'While it runs, every other command attaches to it: chats, run, sessions and usage, in several terminals at once.',
      'SIGTERM stops it in good order: running turns get agent.restart_drain_timeout to end, and what is left goes on',
      'at the next start. A second signal ends it at once.',
    ],
  },
  {
    name: 'gateway setup',
    aliases: [],
    summary: 'give it a Telegram bot by its token, and show the link that makes you the owner',
    words: noWords,
    options: [{ name: 'token-stdin', summary: 'read the token from stdin instead of asking for it' }, help],
    details: [
      'The token is checked with Telegram, and kept in .env in the home, closed to other users. It is never shown.',
      'The link is good once, for an hour; the gateway may run already, or be started later.',
      'With a new token of the same bot nothing is lost: its conversations go on.',
    ],
  },
  {
    name: 'gateway start',
    aliases: [],
    summary: 'start it as the installed service, or else in the background, and wait until it serves',
    words: noWords,
    options: [model, safe, help],
    details: ['With an option it is started in the background, whether a service is installed or not.'],
  },
  {
    name: 'gateway stop',
    aliases: [],
    summary: 'stop it in good order, and say what goes on at the next start',
    words: noWords,
    options: [help],
    details: [
      'Running turns get agent.restart_drain_timeout seconds to end; the others are told that they go on later.',
    ],
  },
  {
    name: 'gateway restart',
    aliases: [],
    summary: 'stop it in good order and start it again',
    words: noWords,
    options: [model, safe, help],
    details: [],
  },
  {
    name: 'gateway status',
    aliases: [],
    summary: 'whether it runs, as what, and why its last start failed; exit code 3 where it does not run',
    words: noWords,
    options: [json, help],
    details: [],
  },
  {
    name: 'gateway logs',
    aliases: ['log'],
    summary: 'the latest lines of the log, with every secret taken out',
    words: noWords,
    options: [
      { name: 'lines', short: 'n', value: 'COUNT', summary: 'how many (50)' },
      { name: 'follow', short: 'f', summary: 'go on as the log grows, until Ctrl-C' },
      help,
    ],
    details: [],
  },
  {
    name: 'gateway install',
    aliases: [],
    summary: 'have systemd or launchd start it by itself',
    words: noWords,
    options: [help],
    details: [
      'It is a service of your own user: no root is needed. Run it again after an update or a move of the program.',
    ],
  },
  {
    name: 'gateway uninstall',
    aliases: [],
    summary: 'stop the service and remove it',
    words: noWords,
    options: [help],
    details: [],
  },
  {
    name: 'gateway pair',
    aliases: [],
    summary: 'let in whoever was given this code by the bot',
    words: { label: 'CODE', atLeast: 1, atMost: 1 },
    options: [help],
    details: ['Whoever is let in can do what you can: read files, run commands. A code is good once, for 15 minutes.'],
  },
  {
    name: 'gateway people',
    aliases: ['list', 'ls'],
    summary: 'who has access',
    words: noWords,
    options: [help],
    details: [],
  },
  {
    name: 'gateway revoke',
    aliases: ['remove', 'rm'],
    summary: 'take access back',
    words: { label: 'ID', atLeast: 1, atMost: 1 },
    options: [help],
    details: ['ID is one of those that `talaria gateway people` lists; for Telegram the number is enough.'],
  },
  {
    name: 'gateway link',
    aliases: [],
    summary: 'a link that opens the chat page of the running gateway in a browser',
    words: noWords,
    options: [help],
    details: ['The link is good once, for 15 minutes. The browser that opens it stays logged in for 30 days.'],
  },
  {
    name: 'gateway logout',
    aliases: [],
    summary: 'log every browser out',
    words: noWords,
    options: [help],
    details: ['Pages that are open are cut off at once, and links that were not used are of no use any more.'],
  },
  {
    name: 'sessions list',
    aliases: ['ls'],
    summary: 'the latest sessions',
    words: noWords,
    options: [{ name: 'limit', short: 'n', value: 'COUNT', summary: 'how many (20)' }, json, help],
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
      { name: 'everything', summary: 'also your home folder, the root, or a folder that all can write to' },
      help,
    ],
    details: [
      'AGENTS.md (or .hermes.md, HERMES.md, CLAUDE.md, .cursorrules) of a trusted folder is part of the system prompt.',
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
  {
    name: 'help',
    aliases: [],
    summary: 'explain a command or a topic (exit-codes, json)',
    words: { label: 'TOPIC', atLeast: 0, atMost: 2 },
    options: [help],
    details: [],
  },
];
