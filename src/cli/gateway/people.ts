import type { DeskRequest } from '../../gateway/people-desk.ts';
import type { CliDeps } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';

/** Lets in whoever was given the code. */
export const pairPerson: CommandFunction = (args, deps) => ask({ type: 'pair', code: args.words[0] ?? '' }, deps);

export const listPeople: CommandFunction = (_args, deps) => ask({ type: 'people' }, deps);

export const revokePerson: CommandFunction = (args, deps) =>
  ask({ type: 'revoke', person: personNamed(args.words[0] ?? '') }, deps);

/** Prints an address that lets a browser in, once. */
export const printLink: CommandFunction = (_args, deps) => ask({ type: 'link' }, deps);

/** Ends what every browser has. */
export const logOutBrowsers: CommandFunction = (_args, deps) => ask({ type: 'logout' }, deps);

/** A bare number is one of Telegram's. */
function personNamed(id: string): string {
  return /^\d+$/.test(id) ? `telegram:${id}` : id;
}

async function ask(request: DeskRequest, { askGateway, process }: CliDeps): Promise<number> {
  const { ok, text } = await askGateway(request);
  (ok ? process.stdout : process.stderr).write(`${neutralise(text)}\n`);
  return ok ? exitCodes.done : exitCodes.failed;
}
