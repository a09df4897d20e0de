import { AppError } from '../../base/errors.ts';
import type { CommandFunction } from '../command.ts';
import { findGateway } from '../service/find-gateway.ts';
import { startAnew } from './start-gateway.ts';
import { noGateway, stopFound } from './stop-gateway.ts';

/** Stops what runs in good order and starts it again. */
export const restartGateway: CommandFunction = async (args, deps) => {
  const desk = await deps.openServiceDesk();
  const found = await findGateway(desk);
  if (found.type === 'running' && found.status.keeper === 'nobody') {
    const { pid } = found.status;
    throw new AppError('already-running', `it runs in a terminal (pid ${pid}): stop it there with Ctrl-C`);
  }
  // Refused before anything is stopped: a service that waits for the home is to have it afterwards.
  if (found.type === 'other') throw noGateway(found.pid);
  await stopFound(found, deps, desk);
  return await startAnew(args, deps, desk);
};
