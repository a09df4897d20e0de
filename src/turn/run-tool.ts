import { hash } from 'node:crypto';
import { describeError } from '../base/errors.ts';
import type { CallId, SessionId } from '../base/ids.ts';
import { judgeImage } from '../model/image.ts';
import type { GivenImage } from '../model/image.ts';
import type { ImagePart, ToolOutcome } from '../model/message.ts';
import type { Question, QuestionEnd } from '../model/questions.ts';
import type { ToolContext } from '../model/tool.ts';
import type { ReadyCall } from './prepare-call.ts';
import type { ToolDeps } from './tool-deps.ts';

const longestErrorText = 2000;
const abortGraceMs = 800;

/** Runs one call to an outcome. A tool can fail; this function cannot. */
export async function runTool(prepared: ReadyCall, deps: ToolDeps, signal: AbortSignal): Promise<ToolOutcome> {
  if (signal.aborted) return { type: 'interrupted' };
  const { tool, input } = prepared;
  const context = contextOf(prepared, deps, signal);
  const outcome = await withGrace(
    runGuarded(() => tool.run(input, context), signal),
    signal,
  );
  await deps.recorder.reach('tool-ran');
  return outcome;
}

/** Asks a tool what became of a call that had started before the program ended; undefined where it cannot know. */
export async function lookUpTool(
  { tool, input, ...prepared }: ReadyCall,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<ToolOutcome | undefined> {
  if (tool.recover === undefined) return undefined;
  const context = contextOf(prepared, deps, signal);
  const look = tool.recover(input, context).catch((thrown: unknown): ToolOutcome => {
    return { type: 'unknown', lastSeen: `${tool.name} had started; ${describeError(thrown)}` };
  });
  return await withGrace(look, signal);
}

function contextOf({ call }: Pick<ReadyCall, 'call'>, deps: ToolDeps, signal: AbortSignal): ToolContext {
  const { turn } = deps.recorder;
  return {
    ...deps.place,
    turnId: turn.turnId,
    callId: call.id,
    person: deps.person,
    signal,
    idempotencyKey: hash('sha256', `${turn.turnId}/${call.id}`),
    ask: (question) => askPerson(question, call.id, deps, signal),
    progress: (text) => deps.emit({ type: 'tool.progress', callId: call.id, text }),
    keepImage: (image) => keepImage(image, turn.sessionId, deps.blobs),
    readBlob: (blob) => deps.blobs.read(turn.sessionId, blob),
  };
}

async function keepImage(
  image: GivenImage,
  sessionId: SessionId,
  blobs: ToolDeps['blobs'],
): Promise<ImagePart | string> {
  const judged = judgeImage(image);
  if (judged.type === 'unfit') return judged.reason;
  const blob = await blobs.put(sessionId, Buffer.from(image.bytes).toString('base64'));
  const name = image.name === undefined ? {} : { name: image.name };
  return { type: 'image', blob, mediaType: judged.mediaType, bytes: image.bytes.length, ...name };
}

/** An answer that was given before a crash counts; otherwise the question is asked, again if need be. */
async function askPerson(
  question: Question,
  callId: CallId,
  { recorder, questions }: ToolDeps,
  signal: AbortSignal,
): Promise<QuestionEnd> {
  const given = recorder.state.openCalls.find(({ call }) => call.id === callId)?.answer;
  if (given !== undefined) return { type: 'answered', text: given };
  const { turn } = recorder;
  const digest = hash('sha256', `question/${turn.turnId}/${callId}`);
  return await questions.ask({ ...question, turn, callId, digest }, signal);
}

async function runGuarded(run: () => Promise<ToolOutcome>, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    return await run();
  } catch (thrown) {
    if (signal.aborted) return { type: 'interrupted' };
    return { type: 'failed', message: describeError(thrown).slice(0, longestErrorText) };
  }
}

/** A tool that ignores its signal does not hold up a stop: after a moment the call counts as interrupted. */
async function withGrace<Outcome>(run: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | ToolOutcome> {
  const { promise, resolve } = Promise.withResolvers<ToolOutcome>();
  const giveUp = (): void => {
    setTimeout(() => resolve({ type: 'interrupted' }), abortGraceMs);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([run, promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
