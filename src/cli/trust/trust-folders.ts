import { relative, resolve } from 'node:path';
import type { Trusting } from '../../model/trust.ts';
import type { CliDeps } from '../app-port.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { oneLine } from '../render/one-line.ts';

/** Lets the files of a folder, and of all below it, speak to the model. */
export const trustFolder: CommandFunction = async (args, deps) => {
  const desk = await deps.openTrust();
  const outcome = await desk.trust(folderOf(args, deps), args.has('everything') ? 'everything' : 'one-project');
  if (outcome.type === 'sweeping') {
    say(deps, 'stderr', [
      `talaria: ${outcome.path} is not trusted: ${outcome.reason}.`,
      'Trust the folders of your projects one by one, or, if you mean all of it: talaria trust --everything FOLDER',
    ]);
    return exitCodes.badUsage;
  }
  say(deps, 'stdout', describeTrust(outcome));
  return exitCodes.done;
};

export const listTrusted: CommandFunction = async (args, deps) => {
  const folders = (await deps.openTrust()).list();
  const dated = folders.map(({ path, since }) => ({ path, since: new Date(since).toISOString() }));
  if (args.has('json')) deps.process.stdout.write(`${JSON.stringify({ folders: dated })}\n`);
  else if (dated.length === 0) say(deps, 'stdout', ['No folder is trusted. In the folder of a project: talaria trust']);
  else
    say(
      deps,
      'stdout',
      dated.map(({ path, since }) => `${since.slice(0, 10)}  ${path}`),
    );
  return exitCodes.done;
};

export const distrustFolder: CommandFunction = async (args, deps) => {
  const { path, wasListed, through } = await (await deps.openTrust()).distrust(folderOf(args, deps));
  const still = `is trusted through ${through}: talaria trust remove ${through}`;
  if (!wasListed) {
    say(deps, 'stderr', [`talaria: ${path} ${through === undefined ? 'is not trusted' : still}`]);
    return exitCodes.failed;
  }
  const what = 'conversations there go on without its files from their next message on';
  say(deps, 'stdout', [
    through === undefined ? `${path} is no longer trusted; ${what}.` : `${path} is off the list. It still ${still}`,
  ]);
  return exitCodes.done;
};

function folderOf(args: Arguments, { process }: CliDeps): string {
  return resolve(process.cwd(), args.words[0] ?? '.');
}

type Trusted = Extract<Trusting, { readonly type: 'trusted' }>;

function describeTrust(trusted: Trusted): readonly string[] {
  const { path, state, files, skills } = trusted;
  const read = [
    ...files.map(({ path: file, hidden }) => {
      const cleaned = hidden === 0 ? '' : `, without ${hidden} invisible characters in it: look at where it comes from`;
      return `  ${relative(path, file)}${cleaned}`;
    }),
    ...skills.map((skill) => `  the skill ${oneLine(skill, longestLine)}`),
  ];
  const servers = describeServers(trusted);
  const isEmpty = read.length + servers.length === 0;
  return [
    `${path} is ${state === 'new' ? 'trusted from now on' : 'trusted already'}, with everything below it.`,
    ...(isEmpty ? ['There is no file here now that would be read.'] : []),
    ...(read.length === 0 ? [] : ['The model reads there:', ...read]),
    ...servers,
    'Conversations in it take that up with their next message. To take it back: talaria trust remove FOLDER',
  ];
}

const longestLine = 4000;

/** Programs that will run are shown whole, as far as a line goes: this is where somebody looks at them. */
function describeServers({ servers, serversProblem }: Trusted): readonly string[] {
  if (serversProblem !== undefined) return [`.mcp.json is not used: ${serversProblem}`];
  if (servers.length === 0) return [];
  return [
    'These MCP servers of .mcp.json are used there, as they are now; a change of the file counts once you trust it again:',
    ...servers.map(({ name, place }) => `  ${oneLine(name, longestLine)}: ${oneLine(place, longestLine)}`),
  ];
}

function say({ process }: CliDeps, where: 'stdout' | 'stderr', lines: readonly string[]): void {
  process[where].write(`${neutralise(lines.join('\n'))}\n`);
}
