import { systemClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../../model/session.ts';
import type { CliDeps, ServiceDesk } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findGateway, whenLetGo } from '../service/find-gateway.ts';
import type { Found } from '../service/find-gateway.ts';
import { findInstalled } from '../service/find-keeper.ts';
import { longestStopMs } from '../service/service-keeper.ts';

const noticeableMs = 1_000;

/** Has the gateway end in good order, waits for it, and says what goes on at the next start. */
export const stopGateway: CommandFunction = async (_args, deps) => {
  const { stdout } = deps.process;
  const desk = await deps.openServiceDesk();
  const found = await findGateway(desk);
  const wasRunning = await stopFound(found, deps, desk);
  const left = await describeLeft(deps);
  stdout.write(`${wasRunning ? 'Stopped.' : 'It does not run.'}${left === '' ? '' : ` ${left}`}\n`);
  return exitCodes.done;
};

/** False where nothing ran. Throws where what runs is no gateway, or does not end. */
export async function stopFound(found: Found, deps: CliDeps, desk: ServiceDesk): Promise<boolean> {
  const service = await findInstalled(deps, desk);
  switch (found.type) {
    case 'nothing':
      // It may be between two starts.
      await service?.stop();
      return false;
    case 'other':
      // The manager may try again and again beside it; or it is the service itself, which has not come to serve yet.
      await service?.stop();
      if (desk.holder()?.pid === found.pid) throw noGateway(found.pid);
      return true;
    case 'silent':
      await sayingWait(endProcess(found.pid, deps, desk), deps, desk);
      return true;
    case 'running': {
      const { pid } = found.status;
      // Also where another one runs in its place: the manager tries again until the home is free.
      const asked = service?.stop() ?? Promise.resolve();
      await sayingWait(
        asked.then(() => endProcess(pid, deps, desk)),
        deps,
        desk,
      );
      return true;
    }
  }
}

export function noGateway(pid: number): AppError {
  return new AppError('already-running', `what uses the home is no gateway (pid ${pid}): leave it there`);
}

/** Says what is waited for, where that takes longer than anyone notices. */
async function sayingWait(ending: Promise<void>, { process }: CliDeps, desk: ServiceDesk): Promise<void> {
  const over = new AbortController();
  const late = systemClock.sleep(noticeableMs, over.signal).then(
    () => true,
    () => false,
  );
  try {
    if (!(await Promise.race([ending.then(() => false), late]))) return;
    const found = await findGateway(desk);
    const atWork = found.type === 'running' ? found.status.atWork : 0;
    if (atWork > 0)
      process.stderr.write(`Waiting for ${atWork === 1 ? '1 turn that runs' : `${atWork} turns that run`}.\n`);
    else if (found.type !== 'nothing') process.stderr.write('Waiting for it to end.\n');
    await ending;
  } finally {
    over.abort();
  }
}

/** Only a process that holds the home is ever signalled: a number alone may be someone else's by now. */
async function endProcess(pid: number, { process }: CliDeps, desk: ServiceDesk): Promise<void> {
  if (desk.holder()?.pid !== pid) return;
  process.signal(pid, 'SIGTERM');
  const longestMs = longestStopMs(desk.drainMs);
  if (await whenLetGo(pid, desk, longestMs)) return;
  const advice = `kill -9 ${pid} ends it, and loses nothing that was acknowledged`;
  throw new AppError('no-progress', `it was told to stop ${longestMs / 1000} seconds ago and still runs; ${advice}`);
}

/** What the next start goes on with, and what only a terminal does. The home is free by now, unless someone was quick. */
async function describeLeft({ openApp }: CliDeps): Promise<string> {
  try {
    await using app = await openApp({ purpose: 'look' });
    const ids = new Set((await app.store.turns.unsettled()).map(({ sessionId }) => sessionId));
    const found = await Promise.all([...ids].map((id) => app.store.sessions.matching(id)));
    const ofTerminals = found.flat().filter(({ address }) => address.platform === 'terminal');
    const others = ids.size - ofTerminals.length;
    return [describeOthers(others), describeTerminals(ofTerminals)].filter((text) => text !== '').join(' ');
  } catch (thrown) {
    // It is stopped all the same. Settings or a store that are broken are what the next start complains about.
    if (thrown instanceof AppError) return '';
    throw thrown;
  }
}

function describeOthers(count: number): string {
  if (count === 0) return '';
  return `${count === 1 ? '1 conversation is' : `${count} conversations are`} unfinished and will go on at the next start.`;
}

/** A session of a terminal waits for someone who sits down at it. */
function describeTerminals(sessions: readonly Pick<Session, 'id'>[]): string {
  const [first] = sessions;
  if (first === undefined) return '';
  const [what, which] =
    sessions.length === 1
      ? ['1 session of a terminal is', 'it']
      : [`${sessions.length} sessions of terminals are`, 'the first'];
  return `${what} unfinished; to go on with ${which}: talaria -r ${first.id}`;
}
