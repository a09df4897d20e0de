import { describeError } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { GivenImage } from '../../model/image.ts';
import type { StepEvent } from '../../model/turn.ts';
import type { App, CliDeps, ProcessPort } from '../app-port.ts';
import { choosePlace } from '../choose-place.ts';
import type { Place } from '../choose-place.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodeOfResult, exitCodes } from '../exit-codes.ts';
import { nameSession } from '../name-session.ts';
import { watchStops } from '../watch-stops.ts';
import { readPrompt } from './read-prompt.ts';
import type { RunOutput } from './run-output.ts';
import { RunPort } from './run-port.ts';
import { Talk } from './talk.ts';
import type { Said } from './talk.ts';

/** One prompt in, one reply out. */
export const runCommand: CommandFunction = async (args, deps) => {
  const images = await readImages(args.values('image'), deps.process);
  const text = await readPrompt(args.words, deps.process, images.length > 0 ? 'allowed' : 'refused');
  const output = await chooseOutput(args, deps.process);
  await using app = await deps.openApp({ purpose: 'serve', model: args.value('model') });
  for (const warning of app.warnings) output.note(warning);
  const place = await choosePlace(args, app.store.sessions, deps.process);
  for (const note of place.notes) output.note(note);
  const consent = args.has('yes') ? 'given' : 'asked-for';
  const goingOn: RunParts['goingOn'] = async (sessionId) =>
    await (await import('../processes/going-on.ts')).findGoingOn(sessionId, deps);
  return await answer({ text, images }, { app, place, output, process: deps.process, consent, goingOn });
};

interface Prompt {
  readonly text: string;
  readonly images: readonly GivenImage[];
}

async function readImages(files: readonly string[], process: ProcessPort): Promise<readonly GivenImage[]> {
  if (files.length === 0) return [];
  const { readImage } = await import('../read-image.ts');
  return await Promise.all(files.map((file) => readImage(file, process.cwd())));
}

async function chooseOutput(args: Arguments, process: CliDeps['process']): Promise<RunOutput> {
  if (args.has('json')) return new (await import('./json-output.ts')).JsonOutput(process);
  const { TextOutput } = await import('./text-output.ts');
  return new TextOutput(process, args.has('quiet') ? 'quiet' : 'shown');
}

interface RunParts {
  readonly app: App;
  readonly place: Place;
  readonly output: RunOutput;
  readonly process: ProcessPort;
  /** Whether the command line gave consent to everything that would be asked. */
  readonly consent: 'given' | 'asked-for';
  /** What a session leaves running; undefined where it is nothing. */
  readonly goingOn: (sessionId: SessionId) => Promise<string | undefined>;
}

async function answer(prompt: Prompt, { app, place, output, process, consent, goingOn }: RunParts): Promise<number> {
  const person = process.stdinType() === 'terminal' && process.stderr.isTTY ? 'there' : 'absent';
  const acts = consent === 'given' ? 'allowed' : person === 'there' ? 'asked' : 'refused';
  using port = new RunPort({ acts, person, output, process });
  const served = await app.serveTerminal({ ...place.seat, port }, place.session?.settings);
  const { gateway, model, warnings } = served;
  for (const warning of warnings) output.note(warning);
  if (place.session !== undefined) await gateway.deliver(place.seat.address);
  const earlier = await unsettledTurns(app, place);
  output.started({ model: model.name, earlier });
  let wasRefused = false;
  let startedIn: SessionId | undefined;
  let sessionId = place.session?.id;
  using _watching = gateway.watch(place.seat.address, (turn, event) => {
    wasRefused ||= wantedConsent(event);
    if (beginsProcess(event)) startedIn = turn.sessionId;
    sessionId = turn.sessionId;
    output.take(turn, event);
  });
  using talk = new Talk(served, place.seat, ({ turnId }) => earlier.delete(turnId));
  using stops = watchStops(process, () => {
    talk.stop().catch((thrown: unknown) => output.note(describeError(thrown)));
  });
  const stopped = stops.ended.then((exitCode): Said => ({ type: 'left', exitCode }));
  const saying = Promise.race([talk.say(prompt.text, prompt.images), stopped]);
  const said = await nameSession(saying, () => sessionId);
  const exitCode = exitCodeOf(said);
  output.finish(said, exitCode);
  if (wasRefused) output.note('--yes allows what needs consent');
  const left = startedIn === undefined ? undefined : await goingOn(startedIn);
  if (left !== undefined) output.note(left);
  return exitCode;
}

/** Whether an act was refused for want of anyone to ask. */
function wantedConsent(event: StepEvent): boolean {
  const entry = event.type === 'entry' ? event.logged.entry : undefined;
  return entry?.type === 'approval.answered' && entry.by === null;
}

/** Whether a command is called for that may go on when the turn is over. */
function beginsProcess(event: StepEvent): boolean {
  const entry = event.type === 'entry' ? event.logged.entry : undefined;
  return (
    entry?.type === 'tool.called' && entry.call.name === 'terminal' && entry.call.arguments.includes('"background"')
  );
}

async function unsettledTurns({ store }: App, { session }: Place): Promise<Set<string>> {
  if (session === undefined) return new Set();
  return new Set((await store.turns.unsettled(session.id)).map(({ turnId }) => turnId));
}

function exitCodeOf(said: Said): number {
  switch (said.type) {
    case 'settled':
      return exitCodeOfResult(said.result);
    case 'answered':
      return exitCodes.done;
    case 'put-off':
      return exitCodes.internal;
    case 'refused':
      return exitCodes.badUsage;
    case 'ignored':
      return exitCodes.failed;
    case 'left':
      return said.exitCode;
  }
}
