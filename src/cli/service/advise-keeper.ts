import { systemClock } from '../../base/clock.ts';
import { within } from '../../base/within.ts';
import { backgroundAdvice } from '../../gateway/restart.ts';
import type { CliDeps } from '../app-port.ts';
import { findKeeper } from './find-keeper.ts';

// Someone waits in a chat, and a service manager that is stuck is as good as none.
const longestMs = 5_000;

/** What has a gateway of a terminal come back from now on: a service, where the system keeps any for this user. */
export async function adviseKeeper(deps: CliDeps): Promise<string> {
  let advice = backgroundAdvice;
  const look = async (): Promise<void> => {
    advice = (await adviseService(deps)) ?? backgroundAdvice;
  };
  await within(systemClock, longestMs, look());
  return advice;
}

async function adviseService(deps: CliDeps): Promise<string | undefined> {
  const service = await findKeeper(deps, await deps.openServiceDesk());
  if (service === undefined || (await service.problem()) !== undefined) return undefined;
  const { file } = await service.state();
  return file === 'none'
    ? '`talaria gateway install` changes that.'
    : 'End it where it runs and type `talaria gateway start`: that starts the service that is installed.';
}
