import { AppError } from '../../base/errors.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import type { CliDeps, ProcessPort, TelegramDesk, TokenCheck } from '../app-port.ts';
import { exitCodes } from '../exit-codes.ts';
import { readPipedSecret, readSecret } from '../read-secret.ts';
import { neutralise } from '../render/neutralise.ts';
import { findGateway } from '../service/find-gateway.ts';

/** Takes a token, checks it, keeps it, and shows the link that makes its user the owner. */
export const setUpGateway: CommandFunction = async (args, deps) => {
  const { stderr } = deps.process;
  const desk = await deps.openTelegramDesk();
  const token = await readToken(args, deps.process, desk);
  if (token === undefined) return exitCodes.interrupted;
  const check = await desk.check(token === '' ? undefined : token);
  if (check.type !== 'valid') {
    stderr.write(`${neutralise(check.problem)}\nNothing was changed.\n`);
    return exitCodes.failed;
  }
  if (token !== '') tell(deps, await desk.save(token));
  return await showOwnerLink(check, await describeTakeUp(check, desk, deps), deps);
};

type ValidToken = Extract<TokenCheck, { readonly type: 'valid' }>;

/** Empty where the token that is there is to be kept; undefined where the user thought better of it. */
async function readToken(args: Arguments, process: ProcessPort, desk: TelegramDesk): Promise<string | undefined> {
  if (args.has('token-stdin')) {
    const token = await readPipedSecret(process);
    if (token === '') throw new AppError('bad-usage', 'no token came in on stdin');
    return token;
  }
  if (process.stdinType() !== 'terminal') {
    throw new AppError('bad-usage', 'nobody can be asked here; say --token-stdin and bring the token on stdin');
  }
  process.stderr.write('@BotFather on Telegram makes a bot with /newbot and answers with its token.\n');
  const kept = desk.hasToken ? ', or Enter to keep the one that is there' : '';
  for (;;) {
    const token = (await readSecret(`The token, which is not shown${kept}: `, process))?.trim();
    if (token !== '' || desk.hasToken) return token;
  }
}

function tell({ process }: CliDeps, { path, shadowedBy }: Awaited<ReturnType<TelegramDesk['save']>>): void {
  process.stdout.write(`The token is kept in ${path}, which only you can read.\n`);
  if (shadowedBy === undefined) return;
  process.stderr.write(
    `The environment has another token in ${shadowedBy}, which counts before it: take it out there.\n`,
  );
}

/** Whether whoever runs already serves this bot, or will, or has to be started again for it. */
async function describeTakeUp({ id }: ValidToken, { botId }: TelegramDesk, deps: CliDeps): Promise<string> {
  const found = await findGateway(await deps.openServiceDesk());
  if (found.type !== 'running') return 'The bot answers while `talaria gateway` runs.';
  const hasBot = found.status.channels.includes('telegram');
  return hasBot && id !== botId
    ? 'The gateway that runs serves another bot\nuntil it is started again: talaria gateway restart'
    : 'The gateway that runs\nserves the bot within seconds, if it does not yet.';
}

async function showOwnerLink(
  { username, name }: ValidToken,
  takeUp: string,
  { askGateway, process }: CliDeps,
): Promise<number> {
  const { stdout, stderr } = process;
  const { ok, text } = await askGateway({ type: 'invite-owner' });
  if (!ok) {
    stderr.write(`${neutralise(text)}\n`);
    return exitCodes.failed;
  }
  const link = `https://t.me/${username}?start=${text}`;
  stdout.write(
    `This is ${neutralise(name)}, @${neutralise(username)}. Whoever opens this link first is its owner:\n\n${link}\n\n`,
  );
  if (stdout.isTTY) {
    const { renderUnicodeCompact } = await import('uqr');
    stdout.write(`${renderUnicodeCompact(link)}\n\n`);
  }
  stdout.write(`The link is good once, for an hour. ${takeUp}\n`);
  return exitCodes.done;
}
