import { localTime } from '../../base/local-time.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findSession } from '../find-session.ts';
import { oneLine } from '../render/one-line.ts';
import { PiecePrinter } from '../render/piece-printer.ts';
import { chooseStyle } from '../render/style.ts';
import { transcribe } from '../render/transcript.ts';

export const showSession: CommandFunction = async (args, deps) => {
  const { stdout, env } = deps.process;
  await using app = await deps.openApp({ purpose: 'look' });
  const session = await findSession(args.words[0] ?? '', app.store.sessions);
  const entries = await app.store.turns.after(session.id, 0);
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: true, session: { ...session, prompt: undefined }, entries })}\n`);
    return exitCodes.done;
  }
  const style = chooseStyle({ isTerminal: stdout.isTTY, env });
  const write = (text: string): void => void stdout.write(text);
  const columns = (): number | undefined => (stdout.isTTY ? stdout.columns : undefined);
  const printer = new PiecePrinter({ speech: write, notes: write, style, columns });
  const title = session.title === '' ? session.id : `${oneLine(session.title, 200)} (${session.id})`;
  printer.line(style.dim(`${title}, begun ${localTime(session.createdAt)} in ${oneLine(session.workdir, 200)}`));
  const state = await app.unfinishedIn(session.id);
  for (const turn of transcribe(entries, state)) {
    printer.line('');
    for (const piece of turn.pieces) printer.print(piece);
  }
  printer.endLine();
  return exitCodes.done;
};
