import { AppError } from '../../base/errors.ts';
import type { DeskAnswer, DeskRequest } from '../../gateway/people-desk.ts';
import type { CliDeps } from '../app-port.ts';
import { askYesNo } from '../ask-yes-no.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';

/** Lets in whoever was given the code. */
export const pairPerson: CommandFunction = (args, deps) => ask({ type: 'pair', code: args.words[0] ?? '' }, deps);

export const listPeople: CommandFunction = (_args, deps) => ask({ type: 'people' }, deps);

/** Takes access back; from the last owner only once whoever does it is sure. */
export const revokePerson: CommandFunction = async (args, deps) => {
  const request = { type: 'revoke', person: personNamed(args.words[0] ?? '') } as const;
  const surely = { ...request, sure: 'yes' } as const;
  if (args.has('yes')) return await ask(surely, deps);
  const answer = await deps.askGateway(request);
  if (answer.asks === undefined) return tell(answer, deps);
  return (await isConfirmed(answer, deps)) ? await ask(surely, deps) : exitCodes.failed;
};

async function isConfirmed({ text }: DeskAnswer, { process }: CliDeps): Promise<boolean> {
  if (process.stdinType() !== 'terminal')
    throw new AppError('bad-usage', `${text}, and nobody can be asked here; say -y to take access back all the same`);
  const isSure = await askYesNo(`${neutralise(text)}. Take access back all the same?`, process);
  if (!isSure) process.stderr.write('Nothing was changed.\n');
  return isSure;
}

/** Prints an address that lets a browser in, once. */
export const printLink: CommandFunction = (_args, deps) => ask({ type: 'link' }, deps);

/** Ends what every browser has. */
export const logOutBrowsers: CommandFunction = (_args, deps) => ask({ type: 'logout' }, deps);

/** A bare number is one of Telegram's. */
function personNamed(id: string): string {
  return /^\d+$/.test(id) ? `telegram:${id}` : id;
}

async function ask(request: DeskRequest, deps: CliDeps): Promise<number> {
  return tell(await deps.askGateway(request), deps);
}

function tell({ ok, text }: DeskAnswer, { process }: CliDeps): number {
  (ok ? process.stdout : process.stderr).write(`${neutralise(text)}\n`);
  return ok ? exitCodes.done : exitCodes.failed;
}
