import type { App, ProcessPort } from '../app-port.ts';
import { choosePlace } from '../choose-place.ts';
import type { Place } from '../choose-place.ts';
import type { CommandFunction } from '../command.ts';
import { findGoingOn } from '../processes/going-on.ts';
import type { ChatParts } from './chat-parts.ts';
import { describeContinued } from './describe-continued.ts';
import { findUnderWay, recallTurns } from './recall-turns.ts';

/** A chat: with a person where both ends are a terminal, else with the lines that come in on stdin. */
export const chatCommand: CommandFunction = async (args, deps) => {
  const { process } = deps;
  const isPerson = process.stdinType() === 'terminal' && process.stdout.isTTY;
  await using app = await deps.openApp({
    purpose: 'serve',
    model: args.value('model'),
    start: args.has('safe') ? 'safe' : 'usual',
  });
  const place = await choosePlace(args, app.store.sessions, process);
  const parts: ChatParts = {
    app,
    process,
    place,
    notes: [
      ...(isPerson ? nameContinued(place, process) : []),
      ...place.notes,
      ...app.warnings,
      ...(await describeUnfinished(app, place)),
    ],
    ...(await recallSession(app, place)),
    goingOn: (sessionId) => findGoingOn(sessionId, deps),
  };
  if (!isPerson) {
    const { chatWithPipe } = await import('./piped-chat.ts');
    return await chatWithPipe(parts);
  }
  const { chatWithPerson } = await import('./chat-with-person.ts');
  return await chatWithPerson(parts);
};

function nameContinued({ session }: Place, process: ProcessPort): readonly string[] {
  return session === undefined ? [] : [describeContinued(session, folderOf(process))];
}

function folderOf(process: ProcessPort): string | undefined {
  try {
    return process.cwd();
  } catch {
    // It is gone; what is continued has a folder of its own.
    return undefined;
  }
}

async function recallSession(app: App, { session }: Place): Promise<Pick<ChatParts, 'recalled' | 'underWay'>> {
  if (session === undefined) return { recalled: [], underWay: [] };
  const state = await app.unfinishedIn(session.id);
  const log = await app.store.turns.after(session.id, 0);
  return { recalled: recallTurns(log, state), underWay: state === 'at-work' ? findUnderWay(log) : [] };
}

async function describeUnfinished({ store, leftTurns }: App, { session }: Place): Promise<readonly string[]> {
  // What others are at is no news.
  if (leftTurns === 'go-on') return [];
  const unsettled = new Set((await store.turns.unsettled()).map(({ sessionId }) => sessionId));
  if (session !== undefined) unsettled.delete(session.id);
  const [first] = unsettled;
  if (first === undefined) return [];
  const what = unsettled.size === 1 ? 'another session is' : `${unsettled.size} other sessions are`;
  return [`${what} unfinished; to go on with ${unsettled.size === 1 ? 'it' : 'the first'}: talaria -r ${first}`];
}
