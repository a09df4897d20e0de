import { relative, resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { SeenFolder } from '../../model/trust.ts';
import type { CliDeps } from '../app-port.ts';
import { askYesNo } from '../ask-yes-no.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { oneLine } from '../render/one-line.ts';

/** Lets the files of a folder, and of all below it, speak to the model, once somebody has seen what they are. */
export const trustFolder: CommandFunction = async (args, deps) => {
  const desk = await deps.openTrust();
  const look = await desk.look(folderOf(args, deps), args.has('everything') ? 'everything' : 'one-project');
  if (look.type === 'sweeping') {
    say(deps, 'stderr', [
      `talaria: ${look.path} is not trusted: ${look.reason}.`,
      'Trust the folders of your projects one by one, or, if you mean all of it: talaria trust --everything FOLDER',
    ]);
    return exitCodes.badUsage;
  }
  const isAsked = look.state !== 'known' && !args.has('yes');
  if (isAsked && !(await isConfirmed(look, deps))) return exitCodes.failed;
  await desk.trust(look);
  const contents = isAsked ? [] : describeContents(look);
  say(deps, 'stdout', [describeState(look), ...contents, takingBack]);
  return exitCodes.done;
};

async function isConfirmed(look: SeenFolder, deps: CliDeps): Promise<boolean> {
  if (deps.process.stdinType() !== 'terminal')
    throw new AppError('bad-usage', 'nobody can be asked here; say -y to trust the folder without being asked');
  say(deps, 'stdout', [`Once ${look.path} is trusted, with everything below it:`, ...describeContents(look)]);
  if (await askYesNo('Trust this folder?', deps.process)) return true;
  say(deps, 'stderr', ['Nothing was trusted.']);
  return false;
}

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

const takingBack =
  'Conversations in it take that up with their next message. To take it back: talaria trust remove FOLDER';

function describeState({ path, state }: SeenFolder): string {
  const since = { new: 'trusted from now on', changed: 'trusted as it is now', known: 'trusted already' }[state];
  return `${path} is ${since}, with everything below it.`;
}

function describeContents(seen: SeenFolder): readonly string[] {
  const { path, files, skills } = seen;
  const read = [
    ...files.map(({ path: file, hidden }) => {
      const cleaned = hidden === 0 ? '' : `, without ${hidden} invisible characters in it: look at where it comes from`;
      return `  ${relative(path, file)}${cleaned}`;
    }),
    ...skills.map((skill) => `  the skill ${oneLine(skill, longestLine)}`),
  ];
  const servers = describeServers(seen);
  const isEmpty = read.length + servers.length === 0;
  return [
    ...(isEmpty ? ['There is no file here now that would be read.'] : []),
    ...(read.length === 0 ? [] : ['The model reads there:', ...read]),
    ...servers,
  ];
}

const longestLine = 4000;

/** Programs that will run are shown whole, as far as a line goes: this is where somebody looks at them. */
function describeServers({ servers, serversProblem }: SeenFolder): readonly string[] {
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
