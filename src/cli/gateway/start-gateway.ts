import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { GatewayStatus } from '../../gateway/gateway-status.ts';
import type { CliDeps, ServiceDesk } from '../app-port.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { listTroubles, nameServed } from '../service/describe-channels.ts';
import { findGateway, whenConnected, whenServing } from '../service/find-gateway.ts';
import { findInstalled } from '../service/find-keeper.ts';
import type { StartFailure } from '../service/gateway-view.ts';
import { lastLines } from '../service/last-lines.ts';
import { runOptions } from '../service/run-options.ts';
import { settingsWarnings } from '../service/settings-warnings.ts';
import type { ServiceKeeper } from '../service/service-keeper.ts';
import { outputPath, startBackground } from '../service/start-background.ts';

const longestStartMs = 60_000;
// A token that is not accepted any more shows only once the platform was asked.
const settlingMs = 1_500;
const shownLines = 10;

/** Starts the gateway as the service that was installed, or else in the background, and waits until it serves. */
export const startGateway: CommandFunction = async (args, deps) => {
  const desk = await deps.openServiceDesk();
  const found = await findGateway(desk);
  if (found.type === 'running') return await sayRunning(args, deps, found.status);
  if (found.type !== 'nothing') throw new AppError('already-running', `the home is in use (pid ${found.pid})`);
  return await startAnew(args, deps, desk);
};

async function sayRunning(args: Arguments, deps: CliDeps, status: GatewayStatus): Promise<number> {
  const code = await sayServing(deps, status, `It runs already (pid ${status.pid}).`);
  const unused = describeUnused(args, status);
  if (unused !== undefined) deps.process.stderr.write(`${neutralise(unused)}\n`);
  return code;
}

/** What was asked for this start, and does not hold of the one that runs; undefined where all of it does. */
function describeUnused(args: Arguments, { start, model, keeper }: GatewayStatus): string | undefined {
  const isSafe = !args.has('safe') || start === 'safe';
  const isModel = [undefined, model].includes(args.value('model'));
  if (isSafe && isModel) return undefined;
  const options = runOptions(args).map(quoteForShell).join(' ');
  const advice =
    keeper === 'nobody'
      ? 'stop it in its terminal with Ctrl-C first'
      : `talaria gateway restart ${options} starts it again so`;
  return `${options} changes nothing of what runs already: ${advice}.`;
}

/** For a home that is known to be free. */
export async function startAnew(args: Arguments, deps: CliDeps, desk: ServiceDesk): Promise<number> {
  const options = runOptions(args);
  // The service has options of its own: what is asked for this once is started beside it.
  const service = options.length > 0 ? undefined : await findInstalled(deps, desk);
  return service === undefined ? await startAlone(options, deps, desk) : await startService(service, deps, desk);
}

async function startService(service: ServiceKeeper, deps: CliDeps, desk: ServiceDesk): Promise<number> {
  const failedBefore = desk.lastFailure()?.at;
  await service.start();
  const over = new AbortController();
  const serving = await Promise.race([
    whenServing(desk, longestStartMs, over.signal),
    whenFailed(service, desk, failedBefore, over.signal),
  ]);
  over.abort();
  const connected = serving && (await whenConnected(desk, settlingMs));
  if (connected !== undefined) return await sayServing(deps, connected, describeStart(connected));
  const failure = failureSince(failedBefore, desk);
  const reason = failure?.reason ?? (await service.trouble()) ?? 'it does not serve yet';
  deps.process.stderr.write(`${neutralise(`${service.unit}: ${reason}`)}\nMore is shown by: ${service.outputHint}\n`);
  return failure?.exitCode ?? exitCodes.failed;
}

/** Resolves when a start has failed after the one that is known, by its own note or, where it came to none, by the manager. */
async function whenFailed(
  service: ServiceKeeper,
  desk: ServiceDesk,
  before: string | undefined,
  signal: AbortSignal,
): Promise<undefined> {
  while (!signal.aborted) {
    if (failureSince(before, desk) !== undefined || (await service.trouble()) !== undefined) return;
    await systemClock.sleep(200);
  }
}

function failureSince(before: string | undefined, desk: ServiceDesk): StartFailure | undefined {
  const failure = desk.lastFailure();
  return failure?.at === before ? undefined : failure;
}

async function startAlone(options: readonly string[], deps: CliDeps, desk: ServiceDesk): Promise<number> {
  const child = await startBackground(deps.process, desk, options);
  const over = new AbortController();
  const ended = whenEnded(child).finally(() => over.abort());
  const serving = await whenServing(desk, longestStartMs, over.signal);
  const end = await Promise.race([ended, systemClock.sleep(serving === undefined ? 0 : settlingMs)]);
  if (end !== undefined) return await explainEnd(end, deps, desk);
  const connected = serving && (await whenConnected(desk, settlingMs));
  if (connected !== undefined) return await sayServing(deps, connected, describeStart(connected));
  deps.process.stderr.write(
    `It was started (pid ${child.pid ?? 0}), and does not serve yet. See: talaria gateway logs\n`,
  );
  return exitCodes.failed;
}

interface ChildEnd {
  readonly code: number;
  readonly text: string;
}

async function whenEnded(child: ChildProcess): Promise<ChildEnd> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { code: code ?? exitCodes.failed, text: code === null ? `was ended by ${signal}` : `ended with code ${code}` };
}

async function explainEnd({ code, text }: ChildEnd, { process }: CliDeps, { logs }: ServiceDesk): Promise<number> {
  const { lines } = await lastLines(outputPath(logs), shownLines);
  process.stderr.write(`The gateway did not start: it ${text}.\n`);
  for (const line of lines) process.stderr.write(`  ${neutralise(line)}\n`);
  return code === exitCodes.done ? exitCodes.failed : code;
}

function describeStart({ pid, channelStates, model, keeper, page, pageNote }: GatewayStatus): string {
  const how = keeper === 'background' ? 'in the background' : `by ${keeper}`;
  const serving = `Serving ${nameServed(channelStates)} with ${model}, ${how} (pid ${pid}).`;
  const why = pageNote === undefined ? '' : `${pageNote}; `;
  return page === undefined
    ? serving
    : `${serving}\nThe page: ${page} (${why}talaria gateway link prints a link that opens it)`;
}

/** Its own output goes into a file: what is wrong with the settings is said here, too. */
async function sayServing(deps: CliDeps, { channelStates, start }: GatewayStatus, line: string): Promise<number> {
  const { stdout, stderr } = deps.process;
  stdout.write(`${neutralise(line)}\n`);
  for (const warning of [...listTroubles(channelStates), ...(await settingsWarnings(deps, () => start))])
    stderr.write(`${neutralise(warning)}\n`);
  return exitCodes.done;
}
