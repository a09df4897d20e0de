import { shortId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import { isPrivate } from './access.ts';
import type { CommandDeps, CommandOutcome, InboundMessage } from './command-deps.ts';
import { describeLastExchange } from './last-exchange.ts';
import { placeWords } from './place-words.ts';
import { describePutOff } from './put-off.ts';
import { findReach, isReachable, reachableSessions } from './reachable-sessions.ts';
import { describeMove, takeOverSession } from './take-over.ts';
import { describeWhose, lookUpPeople } from './whose-session.ts';
import type { KnownPeople } from './whose-session.ts';

const mostListed = 10;

export async function listSessions(inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome> {
  const sessions = (await reachableSessions(inbound, deps)).slice(0, mostListed);
  if (sessions.length === 0) return 'There is no session here yet.';
  const people = await lookUpPeople(deps);
  const { length: width } = String(sessions.length);
  const lines = sessions.map((session, index) => {
    const isElsewhere = session.address.platform !== inbound.address.platform;
    const { id, title } = session;
    const named = `${String(index + 1).padEnd(width)}  ${shortId(id)}  ${title === '' ? '(no title)' : title}`;
    return isElsewhere ? `${named}  (${describePlace(session, people)})` : named;
  });
  return { type: 'listing', reply: `${lines.join('\n')}\nGo on with one of them: /resume NUMBER` };
}

function describePlace(session: Session, people: KnownPeople): string {
  const whose = describeWhose(session, people);
  return whose === undefined ? placeWords(session.address) : `${placeWords(session.address)}, ${whose}`;
}

/** Goes on with an earlier session in this chat. What cannot be reached from here is as good as not there. */
export async function runResume(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome> {
  // People copy the brackets of a usage line, too.
  const wish = rest.replaceAll(/^[<[]|[>\]]$/g, '').trim();
  if (wish === '') return await listSessions(inbound, deps);
  const found = await findWished(wish, inbound, deps);
  if (typeof found === 'string') return found;
  const current = await deps.store.sessions.at(inbound);
  if (current.id === found.id) return `That is the session that you are in: ${describe(found)}.`;
  if (deps.lanes.isBusy(current.id)) return 'A turn is running here. /stop it first, then /resume.';
  const { address, person } = inbound;
  // What was begun at a terminal is as much theirs in their own chat, and ends with their access there.
  const taken = await takeOverSession(found, isPrivate(inbound) ? { address, person } : { address }, deps);
  if (taken === 'at-work') return `A turn is running in ${found.id}. It can be resumed when that is over.`;
  deps.yolo.switchOff(current.id);
  deps.consents.forget(current.id);
  // What was unfinished there goes on.
  deps.wake.wake(found.id);
  const told = `Going on with ${describe(found)}. The one before was ${current.id}.`;
  const moved = [told, ...describeMove(found.address, inbound.address)].join(' ');
  const last = await describeLastExchange(found, deps.store);
  return [moved, ...(await describePutOff(current, deps.store)), ...last].join('\n');
}

async function findWished(wish: string, inbound: InboundMessage, deps: CommandDeps): Promise<Session | string> {
  const sessions = await reachableSessions(inbound, deps);
  const isNumber = /^\d{1,2}$/.test(wish);
  const numbered = isNumber ? sessions.slice(0, mostListed)[Number(wish) - 1] : undefined;
  if (numbered) return (await findReluctance(numbered, inbound, deps)) ?? numbered;
  const title = wish.toLowerCase();
  const named = sessions.filter((session) => session.title.toLowerCase() === title);
  const similar = sessions.filter((session) => session.title.toLowerCase().includes(title));
  // One or two digits are in some id or title or other: a number that the list does not have is a slip.
  const candidates = isNumber ? [named] : [await findById(wish, inbound, deps), named, similar];
  const [found, ...others] = candidates.find(({ length }) => length > 0) ?? [];
  if (found === undefined) return `There is no session “${wish}” here. /resume lists the latest ones.`;
  if (others.length === 0) return (isNumber ? await findReluctance(found, inbound, deps) : undefined) ?? found;
  return `Several sessions fit “${wish}”: ${[found, ...others].slice(0, mostListed).map(describe).join(', ')}. Name one by its id.`;
}

async function findById(wish: string, inbound: InboundMessage, deps: CommandDeps): Promise<readonly Session[]> {
  const reach = await findReach(inbound, deps);
  return (await deps.store.sessions.matching(wish)).filter((session) => isReachable(session, inbound, reach));
}

/** A number is mistyped, or an old list is read, too easily for it to take a conversation out of somebody else's hands. */
async function findReluctance(
  session: Session,
  { address }: InboundMessage,
  deps: CommandDeps,
): Promise<string | undefined> {
  const people = await lookUpPeople(deps);
  if (address.platform !== 'terminal' || describeWhose(session, people) === undefined) return undefined;
  const what = session.title === '' ? 'That conversation' : `“${session.title}”`;
  const why = `${what} is not yours alone: it is ${describePlace(session, people)}, and there a new one would begin.`;
  return `${why} To take it here all the same, name it: /resume ${shortId(session.id)}`;
}

function describe({ id, title }: Session): string {
  return title === '' ? id : `${id} (${title})`;
}
