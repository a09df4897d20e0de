import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import type { CliDeps } from '../app-port.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { describeTest } from './test-servers.ts';

/** Adds a server to the settings, once it has answered. Where it does not, the settings stay as they are. */
export const addServer: CommandFunction = async (args, deps) => {
  const desk = await deps.openMcp();
  const [name = '', ...command] = args.words;
  const entry = readEntry(args, command, deps);
  const problem = desk.problemOf(name, entry);
  if (problem !== undefined) throw new AppError('bad-usage', problem);
  if (desk.servers[name] !== undefined && !args.has('force')) {
    throw new AppError('bad-usage', `there is a server ${name} already; --force replaces it`);
  }
  const test = args.has('no-check') ? undefined : await desk.test(name, entry);
  if (test?.type === 'failed') {
    say(deps, 'stderr', [`talaria: ${name} was not added: ${test.problem}`]);
    return exitCodes.failed;
  }
  const copy = await desk.write(name, entry);
  if (args.has('json')) {
    const report = {
      ok: true,
      name,
      path: desk.path,
      tools: test?.type === 'connected' ? test.tools : null,
      copy: copy ?? null,
    };
    deps.process.stdout.write(`${JSON.stringify(report)}\n`);
    return exitCodes.done;
  }
  say(deps, 'stdout', [
    ...(test === undefined ? [] : describeTest(name, test)),
    `${name} is added. Written to ${desk.path}; a Talaria that runs takes it up with its next message.`,
    ...(copy === undefined ? [] : [`The settings as they were: ${copy}`]),
  ]);
  return exitCodes.done;
};

export const removeServer: CommandFunction = async (args, deps) => {
  const desk = await deps.openMcp();
  const [name = ''] = args.words;
  if (desk.servers[name] === undefined) throw new AppError('not-found', `there is no MCP server ${name}`);
  const copy = await desk.write(name, undefined);
  say(deps, 'stdout', [
    `${name} is taken out of ${desk.path}; a Talaria that runs lets go of it with its next message.`,
    ...(copy === undefined ? [] : [`The settings as they were: ${copy}`]),
  ]);
  return exitCodes.done;
};

function readEntry(args: Arguments, [command, ...rest]: readonly string[], { process }: CliDeps): JsonObject {
  const url = args.value('url');
  const cwd = args.value('cwd');
  const timeout = args.value('timeout');
  if (url === undefined && command === undefined) {
    throw new AppError('bad-usage', 'name a program behind --, or an address with --url');
  }
  if (url !== undefined && command !== undefined) {
    throw new AppError('bad-usage', 'a server has a program or an address, not both');
  }
  return {
    ...(url === undefined ? {} : { url }),
    ...(command === undefined ? {} : { command, args: rest }),
    ...(args.has('env') ? { env: readPairs(args.values('env')) } : {}),
    ...(args.has('header') ? { headers: readPairs(args.values('header')) } : {}),
    ...(cwd === undefined ? {} : { cwd: resolve(process.cwd(), cwd) }),
    ...(timeout === undefined ? {} : { timeout: /^\d+$/.test(timeout) ? Number(timeout) : timeout }),
    ...(args.has('trust') ? { trust: true } : {}),
  };
}

function readPairs(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const middle = pair.indexOf('=');
      if (middle < 1) throw new AppError('bad-usage', `"${pair.slice(0, 40)}" is not NAME=VALUE`);
      return [pair.slice(0, middle), pair.slice(middle + 1)];
    }),
  );
}

function say({ process }: CliDeps, where: 'stdout' | 'stderr', lines: readonly string[]): void {
  process[where].write(`${neutralise(lines.join('\n'))}\n`);
}
