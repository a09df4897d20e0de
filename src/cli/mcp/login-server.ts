import { AppError } from '../../base/errors.ts';
import type { LoginPerson } from '../../model/mcp-logins.ts';
import type { CliDeps } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { openHere } from './open-here.ts';
import { openInBrowser } from './open-in-browser.ts';

/** Logs in at a server, in a browser here or elsewhere, and connects to it to see whether that was enough. */
export const logInAtServer: CommandFunction = async (args, deps) => {
  const desk = await openHere(deps);
  const [name = ''] = args.words;
  if (desk.servers[name] === undefined) throw new AppError('not-found', `there is no MCP server ${name}`);
  const browser = args.has('no-browser') ? 'none' : 'open';
  const outcome = await desk.logIn(name, { scope: args.value('scope'), person: personAt(deps, name, browser) });
  switch (outcome.type) {
    case 'failed':
      say(deps, 'stderr', [`talaria: ${name}: ${outcome.problem}`]);
      return exitCodes.failed;
    case 'not-asked':
      say(deps, 'stdout', [`${name} lets everyone in: no login is needed.`]);
      return exitCodes.done;
    case 'logged-in':
      break;
  }
  const test = await desk.test(name);
  if (test.type !== 'connected') {
    say(deps, 'stderr', [`talaria: you are logged in at ${name}, but it does not answer: ${test.problem}`]);
    return exitCodes.failed;
  }
  const count = `${test.tools.length} ${test.tools.length === 1 ? 'tool' : 'tools'}`;
  say(deps, 'stdout', [
    `You are logged in at ${name}, which has ${count}. A Talaria that runs takes it up with its next message.`,
  ]);
  return exitCodes.done;
};

export const logOutOfServer: CommandFunction = async (args, deps) => {
  const desk = await openHere(deps);
  const [name = ''] = args.words;
  if (desk.servers[name] === undefined) throw new AppError('not-found', `there is no MCP server ${name}`);
  const wasHeld = desk.loginAt(name) === 'held';
  await desk.logOut(name);
  if (!wasHeld) {
    say(deps, 'stderr', [`talaria: there is no login at ${name}`]);
    return exitCodes.failed;
  }
  say(deps, 'stdout', [`The login at ${name} is forgotten here. The server itself may still list it among yours.`]);
  return exitCodes.done;
};

function personAt(deps: CliDeps, name: string, browser: 'open' | 'none'): LoginPerson {
  return {
    show(address) {
      const isOpened = browser === 'open' && openInBrowser(address, deps.process);
      say(deps, 'stderr', [
        `To log in at ${name}, ${isOpened ? 'use the browser that opens, or open this address' : 'open this address in a browser'}:`,
        '',
        `  ${address}`,
        '',
        'This waits for 5 minutes. If the browser runs on another machine it ends at a page that it cannot open: copy its',
        'address (http://127.0.0.1…) and paste it here.',
      ]);
    },
    pasted: deps.process.stdinType() === 'nothing' ? nothing() : readLines(deps),
    complain: (problem) => say(deps, 'stderr', [problem]),
  };
}

async function* nothing(): AsyncGenerator<string> {}

const longestLine = 20_000;

async function* readLines({ process: { stdin } }: CliDeps): AsyncGenerator<string> {
  stdin.setEncoding('utf8');
  let begun = '';
  for await (const chunk of stdin) {
    const lines = `${begun}${String(chunk)}`.slice(-longestLine).split(/[\r\n]+/);
    begun = lines.pop() ?? '';
    yield* lines;
  }
  yield begun;
}

function say({ process }: CliDeps, where: 'stdout' | 'stderr', lines: readonly string[]): void {
  process[where].write(`${neutralise(lines.join('\n'))}\n`);
}
