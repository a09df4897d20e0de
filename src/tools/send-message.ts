import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import type { OutboundFile } from '../model/channel.ts';
import { judgeSentSize } from '../model/judge-sent-size.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { Postbox, Recipient } from '../model/postbox.ts';
import { object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import { findObjection } from './files/find-objection.ts';
import { done, failed, settle, spellOut, spellOutLine } from './tool-outcomes.ts';
import type { Workspace } from './workspace.ts';

const inputSchema = object({
  text: string('what', { minLength: 1 }),
  to: optional(string('"home", or like telegram:42; default this chat')),
  file: optional(string('a file to attach')),
});

type SendInput = ValueOf<typeof inputSchema>;

export interface SendDeps {
  readonly workspace: Workspace;
  readonly postbox: Postbox;
}

const longestText = 3500;
const pictures: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);
// The page has a link to it, a terminal its path. Elsewhere a file would be dropped without a word.
const takesFiles: ReadonlySet<string> = new Set(['telegram', 'webchat', 'terminal']);

/** What a call was taken for when it was weighed; what was found to be a mistake was taken for nothing, and is not sent. */
interface Meant {
  /** Another one may be meant by `home` later. */
  readonly recipient: Recipient | undefined;
  readonly asked: string | undefined;
}

/** Writes to a chat of the user, once, however often the program is restarted meanwhile. */
export function createSendMessage(deps: SendDeps): Tool<SendInput> {
  const meant = new WeakMap<SendInput, Meant>();
  return {
    name: 'send_message',
    toolset: 'messaging',
    description:
      'Send a message besides your answer: to another chat of the user, or a file to this one. Your answer reaches this chat by itself.',
    input: inputSchema,
    effect: 'keyed',
    assess: async (input, place) => {
      const recipient = await deps.postbox.find(input.to, place.sessionId);
      // Nobody is asked about what is not sent: a question names the chat, and who may not write there is not to know its number.
      if ((await findMistake(input, recipient, place, deps)) !== undefined) return { type: 'safe' };
      const risk = await judge(input, { recipient, path: pathOf(input, place, deps) }, place, deps);
      meant.set(input, { recipient, asked: risk.type === 'ask' ? risk.question : undefined });
      return risk;
    },
    footprint: () => ({ type: 'anything' }),
    run: (input, context) => settle(context.signal, () => send(input, meant.get(input), context, deps)),
    verify: () => Promise.resolve('unknown'),
  };
}

function pathOf({ file }: SendInput, place: ToolPlace, { workspace }: SendDeps): string | undefined {
  return file === undefined ? undefined : workspace.locate(file, place);
}

interface Letter {
  readonly recipient: Recipient | undefined;
  /** Of the file that goes with it, with all links followed. */
  readonly path: string | undefined;
}

async function judge(
  input: SendInput,
  { recipient, path }: Letter,
  place: ToolPlace,
  { workspace, postbox }: SendDeps,
): Promise<Risk> {
  const here = await postbox.find(undefined, place.sessionId);
  const reading: Risk = path === undefined ? { type: 'safe' } : workspace.judgeRead(path);
  if (reading.type === 'forbidden') return reading;
  const isElsewhere = recipient !== undefined && recipient.name !== here?.name;
  if (!isElsewhere && reading.type === 'safe') return { type: 'safe' };
  const attached = path === undefined ? '' : ` with the file ${spellOutLine(path)}`;
  const to = spellOutLine(recipient?.name ?? input.to ?? 'this chat');
  return { type: 'ask', question: `send to ${to}${attached}:\n${spellOut(input.text)}` };
}

async function send(
  input: SendInput,
  meant: Meant | undefined,
  context: ToolContext,
  deps: SendDeps,
): Promise<ToolOutcome> {
  const recipient = meant?.recipient;
  // Again, since their access can have been taken back while the question was open.
  const mistake = await findMistake(input, recipient, context, deps);
  if (recipient === undefined || mistake !== undefined) return failed(mistake ?? 'there is no such chat');
  const path = pathOf(input, context, deps);
  const attached = path === undefined ? undefined : await attach(path, recipient);
  if (typeof attached === 'string') return failed(attached);
  const risk = await judge(input, { recipient, path }, context, deps);
  const reason = path === undefined ? undefined : findObjection(path, risk, meant?.asked);
  if (reason !== undefined) return { type: 'refused', reason };
  const files = attached === undefined ? [] : [attached];
  const letter = {
    key: context.idempotencyKey,
    from: context.sessionId,
    to: recipient.address,
    text: input.text,
    files,
  };
  const posted = await deps.postbox.post(letter);
  if (posted === 'posted-before') return done(`This was handed over to ${recipient.name} before the restart, once.`);
  return done(`Handed over to ${recipient.name}. It is kept until that chat takes it, for a day at most.`);
}

/** Why a letter could never be sent, for the model. */
async function findMistake(
  { text, to }: SendInput,
  recipient: Recipient | undefined,
  { sessionId, person }: ToolPlace,
  { postbox }: SendDeps,
): Promise<string | undefined> {
  if (text.trim() === '') return 'the text is empty';
  if (text.length > longestText) return `the text is longer than ${longestText} characters; send a file instead`;
  if (person === undefined) return undefined;
  const reachable = await postbox.reach(sessionId, person);
  if (reachable.some(({ name }) => name === recipient?.name)) return undefined;
  const names = reachable.map(({ name }) => name).join(', ');
  return `there is no chat ${to ?? ''} that this user may write to; there are: ${names}`;
}

async function attach(path: string, { name, address }: Recipient): Promise<OutboundFile | string> {
  if (!takesFiles.has(address.platform)) return `${name} takes no files`;
  try {
    const found = await stat(path);
    if (!found.isFile()) return `${path} is not a file`;
    await access(path, constants.R_OK);
    const problem = address.platform === 'telegram' ? judgeSentSize(found.size) : undefined;
    if (problem !== undefined) return `${path} cannot be sent: ${problem}`;
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === undefined) throw thrown;
    return code === 'EACCES' ? `there is no permission to read ${path}` : `there is no file ${path}`;
  }
  const kind = pictures.has(extname(path).toLowerCase()) ? 'picture' : 'file';
  return { path, name: basename(path), kind };
}
