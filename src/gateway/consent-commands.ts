import type { Verdict } from '../model/turn.ts';
import type { CommandDeps, InboundMessage } from './command-deps.ts';

const longestQuestion = 200;

/** Answers the oldest open question of this chat, for chats where no button is at hand. */
export function runAnswer(verdict: Verdict, { address, person }: InboundMessage, deps: CommandDeps): Promise<string> {
  const answered = deps.approvals.answerOldest(address, verdict, person);
  if (answered === undefined) return Promise.resolve('Nothing is asked here.');
  const { question, left } = answered;
  const more = left === 0 ? '' : `\n${left === 1 ? 'One more question is' : `${left} more questions are`} open here.`;
  return Promise.resolve(`${verdict === 'approved' ? 'Allowed' : 'Denied'}: ${shorten(question)}${more}`);
}

function shorten(question: string): string {
  return question.length <= longestQuestion ? question : `${question.slice(0, longestQuestion).toWellFormed()}…`;
}

/** Per session, until it is switched off, a new or another session begins here, or the program ends. */
export async function runYolo(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const session = await deps.store.sessions.at(inbound);
  const isOn = deps.yolo.by(session.id) !== undefined;
  const wish = rest.toLowerCase() || (isOn ? 'off' : 'on');
  if (wish !== 'on' && wish !== 'off') return 'Say it like this: /yolo on, or /yolo off.';
  deps.log.write('warn', `yolo was switched ${wish}`, { session: session.id, person: inbound.person });
  if (wish === 'off') {
    deps.yolo.switchOff(session.id);
    return 'Calls that need your consent are asked about again.';
  }
  deps.yolo.switchOn(session.id, inbound.person);
  return `From now on nothing is asked in this session: every call runs, and the log says that /yolo allowed it. What would ruin the machine is still refused, and limits of money still count. It ends with /yolo off, /new, /resume or a restart.`;
}
