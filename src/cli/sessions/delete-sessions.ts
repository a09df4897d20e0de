import { AppError } from '../../base/errors.ts';
import type { Session } from '../../model/session.ts';
import type { ProcessPort } from '../app-port.ts';
import { askYesNo } from '../ask-yes-no.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findSession } from '../find-session.ts';
import { oneLine } from '../render/one-line.ts';

export const deleteSessions: CommandFunction = async (args, deps) => {
  const { process } = deps;
  const isSure = args.has('yes');
  if (!isSure && process.stdinType() !== 'terminal')
    throw new AppError('bad-usage', 'nobody can be asked here; say -y to delete without being asked');
  await using app = await deps.openApp({ purpose: 'change' });
  // All are found before the first is deleted: a wrong id in the list deletes nothing.
  const found = new Map<string, Session>();
  for (const written of args.words) {
    const session = await findSession(written, app.store.sessions);
    found.set(session.id, session);
  }
  const sessions = [...found.values()];
  if (!isSure && !(await isConfirmed(sessions, process))) return exitCodes.failed;
  for (const { id } of sessions) {
    await app.store.sessions.delete(id);
    await app.endTask(id);
    if (!args.has('json')) process.stdout.write(`${id} is deleted, with everything that was kept for it\n`);
  }
  if (args.has('json'))
    process.stdout.write(`${JSON.stringify({ ok: true, deleted: sessions.map(({ id }) => id) })}\n`);
  return exitCodes.done;
};

async function isConfirmed(sessions: readonly Session[], process: ProcessPort): Promise<boolean> {
  const { stderr } = process;
  for (const { id, title } of sessions) stderr.write(`  ${id}  ${oneLine(title, 80)}\n`);
  const what = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`;
  if (await askYesNo(`Delete ${what} for good?`, process)) return true;
  stderr.write('Nothing was deleted.\n');
  return false;
}
