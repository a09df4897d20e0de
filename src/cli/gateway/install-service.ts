import type { CliDeps } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { findKeeper } from '../service/find-keeper.ts';
import type { ServiceKeeper } from '../service/service-keeper.ts';

/** Has the system start the gateway by itself. */
export const installService: CommandFunction = async (_args, deps) =>
  await withKeeper(deps, async (service) => {
    const notes = await service.install();
    tell(deps, [
      `Written: ${service.path}`,
      ...notes,
      'Keys and tokens are read from .env in the home; those of this shell are not known to it.',
      ...(service.name === 'systemd' ? ['Start it now with: talaria gateway start'] : []),
    ]);
  });

/** Takes back what was installed, and nothing else. */
export const uninstallService: CommandFunction = async (_args, deps) =>
  await withKeeper(deps, async (service) => {
    const isThere = (await service.state()).file !== 'none';
    const notes = isThere ? await service.uninstall() : [];
    tell(deps, [isThere ? `Removed: ${service.path}` : 'Nothing is installed.', ...notes]);
  });

/** In a container, and wherever else nobody keeps services, there is another way. */
async function withKeeper(deps: CliDeps, work: (service: ServiceKeeper) => Promise<void>): Promise<number> {
  const service = await findKeeper(deps, await deps.openServiceDesk());
  const problem = service === undefined ? 'this system has no services that we know of' : await service.problem();
  if (service !== undefined && problem === undefined) {
    await work(service);
    return exitCodes.done;
  }
  deps.process.stderr.write(`talaria: nothing was changed, because ${neutralise(problem ?? '')}\n${instead}\n`);
  return exitCodes.failed;
}

const instead =
  'Without a service: `talaria gateway start` runs it in the background, and a container runs `talaria gateway` itself.';

function tell({ process }: CliDeps, lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${neutralise(line)}\n`);
}
