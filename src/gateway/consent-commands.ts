import type { ConsentScope } from '../model/turn.ts';
import { isOwner, mayAllowFurther } from './access.ts';
import type { AnsweredQuestion } from './approvals.ts';
import type { CommandDeps, InboundMessage } from './command-deps.ts';

const longestQuestion = 200;

const scopes: readonly ConsentScope[] = ['once', 'session', 'always'];

/** Allows what the oldest open question of this chat asks, for chats where no button is at hand. */
export async function runApprove(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const wish = scopes.find((scope) => scope === (rest.toLowerCase() || 'once'));
  if (wish === undefined) return 'Say it like this: /approve, /approve session, or /approve always.';
  const mostHere = await mostAllowedBy(inbound, deps);
  const answered = await deps.approvals.answerOldest(inbound.address, {
    verdict: 'approved',
    by: inbound.person,
    scope: wish,
  });
  if (answered === undefined) return nothingAsked;
  if (answered === 'not-theirs') return notTheirs;
  const scope = narrowest([wish, mostHere, answered.atMost]);
  const only = scope === wish ? '' : ' and no further, since more cannot be allowed here';
  return describeAnswer(`Allowed${reaches[scope]}${only}`, answered);
}

async function mostAllowedBy(who: InboundMessage, deps: CommandDeps): Promise<ConsentScope> {
  if (await isOwner(who, deps)) return 'always';
  return (await mayAllowFurther(who, deps)) ? 'session' : 'once';
}

/** Refuses what the oldest open question of this chat asks, or takes back what is allowed in its session. */
export async function runDeny(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  if (rest.toLowerCase() === 'session') return await takeBack(inbound, deps);
  const { address, person } = inbound;
  const answered = await deps.approvals.answerOldest(address, { verdict: 'denied', by: person, scope: 'once' });
  return answered === undefined || answered === 'not-theirs' ? nothingAsked : describeAnswer('Denied', answered);
}

/** Anyone in the conversation may: from here on more is asked, not less. */
async function takeBack(inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const { id } = await deps.store.sessions.at(inbound);
  const count = deps.consents.inSession(id).length;
  deps.consents.forget(id);
  const yolo = deps.yolo.by(id) === undefined ? '' : ' /yolo is still on: /yolo off ends that.';
  if (count === 0) return `Nothing is allowed in this session alone.${yolo}`;
  const kinds = count === 1 ? '1 kind' : `${count} kinds`;
  return `What was allowed in this session (${kinds} of call) is asked about again.${yolo}`;
}

const notTheirs = 'Only an owner can allow that, or whoever asked for what it is about.';
const nothingAsked = 'Nothing is asked here.';
const reaches: Readonly<Record<ConsentScope, string>> = {
  once: '',
  session: ' for this session',
  always: ' always, in everybody’s sessions',
};

function narrowest(wishes: readonly ConsentScope[]): ConsentScope {
  return scopes.find((scope) => wishes.includes(scope)) ?? 'once';
}

function describeAnswer(what: string, { question, left }: AnsweredQuestion): string {
  const more = left === 0 ? '' : `\n${left === 1 ? 'One more question is' : `${left} more questions are`} open here.`;
  return `${what}: ${nameQuestion(question)}${more}`;
}

/** The question itself stands above: its first line says which one it was. */
function nameQuestion(question: string): string {
  const [line = ''] = question.split('\n');
  return line.length <= longestQuestion ? line : `${line.slice(0, longestQuestion).toWellFormed()}…`;
}

const offText =
  'It is off: what needs your consent is asked about. /yolo on runs everything in this session without asking.';

const notTheirsToSwitch =
  'Others share this conversation, so that only an owner can switch that on. What needs consent is asked about.';

/** Per session, until it is switched off, a new or another session begins here, or the program ends. */
export async function runYolo(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const session = await deps.store.sessions.at(inbound);
  const isOn = deps.yolo.by(session.id) !== undefined;
  const wish = rest.toLowerCase();
  if (wish === '') return isOn ? 'It is on: nothing is asked in this session. /yolo off ends that.' : offText;
  if (wish !== 'on' && wish !== 'off') return 'Say it like this: /yolo on, or /yolo off.';
  if (wish === 'on' && !(await mayAllowFurther(inbound, deps))) return notTheirsToSwitch;
  deps.log.write('warn', `yolo was switched ${wish}`, { session: session.id, person: inbound.person });
  if (wish === 'off') {
    deps.yolo.switchOff(session.id);
    return 'Calls that need your consent are asked about again.';
  }
  deps.yolo.switchOn(session.id, inbound.person);
  return `From now on nothing is asked in this session: every call runs, and the log says that /yolo allowed it. What would ruin the machine is still refused, and limits of money still count. It ends with /yolo off, /new, /resume or a restart.`;
}
