import { AppError } from '../base/errors.ts';
import type { CliDeps } from './app-port.ts';
import { exitCodeOfError, exitCodes } from './exit-codes.ts';
import { loadCommand } from './load-command.ts';
import { parseCommandLine } from './parse-arguments.ts';

/** Runs what the command line asks for and resolves with the exit code. */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  // The import statement for this module would load all of it; the splitter is the only part needed at every start.
  const line = parseCommandLine(args, process.getBuiltinModule('node:util').parseArgs);
  const format = wantsJson(args) ? 'json' : 'text';
  const topic = line.type === 'command' ? line.command.name : line.type === 'version' ? '' : line.topic;
  try {
    switch (line.type) {
      case 'version':
        deps.process.stdout.write(`${deps.process.version}\n`);
        return exitCodes.done;
      case 'help':
        return await printHelp(line.topic, deps);
      case 'bad-usage':
        throw new AppError('bad-usage', line.message);
      case 'command': {
        const command = await loadCommand(line.command.name);
        return await command(line.args, deps);
      }
    }
  } catch (thrown) {
    const { reportError } = await import('./report-error.ts');
    reportError(thrown, deps.process, { format, topic });
    return exitCodeOfError(thrown);
  }
}

async function printHelp(topic: string, { process: { stdout } }: CliDeps): Promise<number> {
  const { helpAt } = await import('./help.ts');
  stdout.write(helpAt(topic, stdout.isTTY ? stdout.columns : undefined) ?? '');
  return exitCodes.done;
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
