import { systemClock } from '../../base/clock.ts';
import { describeError, isAppError } from '../../base/errors.ts';
import { within } from '../../base/within.ts';
import type { Keeper } from '../../gateway/gateway-status.ts';
import type { Restart } from '../../gateway/restart.ts';
import type { App, CliDeps, GatewayApp, ProcessPort, ServedChannels, ServeOptions } from '../app-port.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodeOfError, exitCodes, exitCodeOfSignal } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { listTroubles, nameServed } from '../service/describe-channels.ts';
import { readKeeper, readLongestDrainMs } from '../service/read-keeper.ts';

const longestCloseMs = 15_000;
const noticeableMs = 1_000;
const predecessorMs = 10_000;
const pauseMs = 200;
// A token that is refused shows only once the platform was asked; a slow one is not waited for.
const connectingMs = 3_000;

/** Serves every channel of the settings until it is told to stop. What is unfinished then goes on at the next start. */
export const runGateway: CommandFunction = async (args, deps) => {
  const keeper = readKeeper(deps.process.env);
  try {
    const ending = await serve(args, deps, keeper);
    if (ending.type === 'deaf') await noteStart(deps, { exitCode: exitCodes.notConfigured, reason: ending.reason });
    return await endWith(ending, args, { ...deps, keeper });
  } catch (thrown) {
    // Another one that runs is no failure of the gateway.
    if (!isAppError(thrown, 'already-running'))
      await noteStart(deps, { exitCode: exitCodeOfError(thrown), reason: describeError(thrown) });
    throw thrown;
  }
};

type Ending =
  | { readonly type: 'told' }
  | { readonly type: 'restart' }
  /** No channel brings anything any more. */
  | { readonly type: 'deaf'; readonly reason: string };

async function serve(args: Arguments, deps: CliDeps, keeper: Keeper): Promise<Ending> {
  const { stdout, stderr } = deps.process;
  using stops = watchForStop(deps.process);
  let lastReport = '';
  const report = (line: string): void => {
    lastReport = line;
    stderr.write(`${neutralise(line)}\n`);
  };
  const app = await openInTime({ purpose: 'serve', model: args.value('model'), start: startOf(args) }, deps, keeper);
  try {
    const say = (line: string): void => {
      stdout.write(`${neutralise(line)}\n`);
      app.note(line);
    };
    for (const warning of app.warnings) report(warning);
    const asked = Promise.withResolvers<Ending>();
    const restart = restartOf(keeper, deps, () => asked.resolve({ type: 'restart' }));
    const { version, env } = deps.process;
    const host = { version, keeper, restart, longestDrainMs: readLongestDrainMs(env) };
    const served = await app.serveChannels(report, host);
    for (const warning of served.warnings) report(warning);
    const deaf = served.gateway.whenDeaf().then((): Ending => ({ type: 'deaf', reason: lastReport }));
    const connected = within(systemClock, connectingMs, served.gateway.whenConnected());
    const early = await Promise.race([deaf, connected.then(() => undefined)]);
    if (early !== undefined) return early;
    await noteStart(deps, undefined);
    say(describeServing(served, args, keeper));
    if (served.web) stdout.write(describePage(served.web, stdout));
    for (const line of listTried(served)) report(line);
    const ending = await Promise.race([stops.told, asked.promise, deaf]);
    if (ending.type === 'deaf') return ending;
    say('Stopping. What is unfinished goes on at the next start.');
    await drain(served, (atWork) => say(describeWait(atWork, keeper)));
    return ending;
  } finally {
    await closeInTime(app, report);
  }
}

function restartOf(keeper: Keeper, deps: CliDeps, begin: () => void): Restart {
  if (keeper !== 'nobody') return { type: 'kept', begin };
  return {
    type: 'unkept',
    advise: async () => (await import('../service/advise-keeper.ts')).adviseKeeper(deps),
  };
}

/** Says what it waits for, where that takes longer than anyone notices. */
async function drain({ gateway }: ServedChannels, sayWait: (atWork: number) => void): Promise<void> {
  const drained = gateway.drain();
  const isLate = await Promise.race([drained.then(() => false), systemClock.sleep(noticeableMs).then(() => true)]);
  if (isLate && gateway.atWork() > 0) sayWait(gateway.atWork());
  await drained;
}

function describeWait(atWork: number, keeper: Keeper): string {
  const what = atWork === 1 ? '1 turn that runs' : `${atWork} turns that run`;
  return `Waiting for ${what}.${keeper === 'nobody' ? ' A second Ctrl-C ends it at once.' : ''}`;
}

function startOf(args: Arguments): 'usual' | 'safe' {
  return args.has('safe') ? 'safe' : 'usual';
}

/** What is not served at all was reported when it ended. */
function listTried({ gateway }: ServedChannels): readonly string[] {
  return listTroubles(gateway.channelStates().filter(({ type }) => type !== 'not-served'));
}

function describeServing({ gateway, model }: ServedChannels, args: Arguments, keeper: Keeper): string {
  const safe = args.has('safe') ? ', in a safe start' : '';
  const how = keeper === 'nobody' ? 'Ctrl-C stops it.' : '`talaria gateway stop` stops it.';
  return `Serving ${nameServed(gateway.channelStates())} with ${model.name}${safe}. ${how}`;
}

/** A link lets in whoever reads it, so it goes to a terminal and not into a log. */
function describePage(web: NonNullable<ServedChannels['web']>, { isTTY }: NodeJS.WriteStream): string {
  const { origin, note, newLink } = web;
  const [because, why] = note === undefined ? ['', ''] : [`${note}, so that it is at a free port.\n`, `${note}; `];
  if (isTTY)
    return `The page: ${newLink()}\n${because}The link is good once, for 15 minutes; talaria gateway link prints another.\n`;
  return `The page: ${origin} (${why}talaria gateway link prints a link that opens it)\n`;
}

/** One that restarted itself may still be letting go of the home. */
async function openInTime(options: ServeOptions, { openGateway }: CliDeps, keeper: Keeper): Promise<GatewayApp> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await openGateway(options);
    } catch (thrown) {
      const isWorthWaiting = keeper === 'background' && waitedMs < predecessorMs;
      if (!isAppError(thrown, 'already-running') || !isWorthWaiting) throw thrown;
      await systemClock.sleep(pauseMs);
    }
  }
}

interface Stops extends Disposable {
  readonly told: Promise<Ending>;
}

/** The first signal stops it in good order, a second one at once: the log is all that the next start needs. */
function watchForStop(process: ProcessPort): Stops {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  let isTold = false;
  const listening = process.onStopSignal((signal) => {
    if (isTold) process.exitNow(exitCodeOfSignal(signal));
    isTold = true;
    resolve({ type: 'told' });
  });
  return { told: promise, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

async function closeInTime(app: App, report: (line: string) => void): Promise<void> {
  const closed = app[Symbol.asyncDispose]().then(() => 'closed' as const);
  const late = systemClock.sleep(longestCloseMs).then(() => 'late' as const);
  if ((await Promise.race([closed, late])) === 'late') report('Something does not end; it is left behind.');
}

/** A service manager starts it again for the exit code; in the background it starts its own successor. */
async function endWith(
  { type }: Ending,
  args: Arguments,
  { keeper, process, openServiceDesk }: CliDeps & { readonly keeper: Keeper },
): Promise<number> {
  if (type === 'deaf') return exitCodes.notConfigured;
  if (type === 'told') return exitCodes.done;
  if (keeper !== 'background') return exitCodes.restarting;
  const { startBackground } = await import('../service/start-background.ts');
  const { runOptions } = await import('../service/run-options.ts');
  await startBackground(process, await openServiceDesk(), runOptions(args));
  return exitCodes.done;
}

type Failure = Parameters<Awaited<ReturnType<CliDeps['openServiceDesk']>>['noteStart']>[0];

/** For `gateway status`. A home in which nothing can be noted is what the start itself complains about. */
async function noteStart({ openServiceDesk }: CliDeps, failure: Failure): Promise<void> {
  await openServiceDesk()
    .then((desk) => desk.noteStart(failure))
    .catch(() => undefined);
}
