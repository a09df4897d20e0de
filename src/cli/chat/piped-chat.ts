import { describeError } from '../../base/errors.ts';
import type { Outbound } from '../../model/channel.ts';
import { exitCodes } from '../exit-codes.ts';
import { nameSession } from '../name-session.ts';
import { RunPort } from '../run/run-port.ts';
import { Talk } from '../run/talk.ts';
import { TextOutput } from '../run/text-output.ts';
import { watchStops } from '../watch-stops.ts';
import type { ChatParts } from './chat-parts.ts';
import { inputLines } from './input-lines.ts';
import { isLeaving } from './is-leaving.ts';
import { readOwnLine } from './read-own-line.ts';
import { ShownReplies } from './shown-replies.ts';

/** Each line of stdin is one message, and each is done with before the next is read. */
export async function chatWithPipe(parts: ChatParts): Promise<number> {
  const { app, process, place, recalled } = parts;
  const output = new TextOutput(process, 'shown');
  const shown = new ShownReplies(recalled);
  const show = (message: Outbound): void => {
    if (!shown.take(message.text)) output.show(message);
  };
  using port = new RunPort({ acts: 'refused', person: 'absent', output: { show }, process });
  const served = await app.serveTerminal({ ...place.seat, port }, place.session?.settings);
  const { gateway, warnings } = served;
  for (const note of [...parts.notes, ...warnings]) output.note(note);
  output.recall(recalled);
  await gateway.deliver(place.seat.address);
  shown.forget();

  let sessionId = place.session?.id;
  using _watching = gateway.watch(place.seat.address, (turn, event) => {
    sessionId = turn.sessionId;
    output.take(turn, event);
  });
  using talk = new Talk(served, place.seat);
  const leaving = Promise.withResolvers<number>();
  using stops = watchStops(process, () => {
    if (talk.isBusy) talk.stop().catch((thrown: unknown) => output.note(describeError(thrown)));
    else leaving.resolve(exitCodes.interrupted);
  });
  const saying = Promise.race([sayAll(parts, talk, output), stops.ended, leaving.promise]);
  return await nameSession(saying, () => sessionId);
}

/** First what was left unfinished, then line by line. A stop ends it all. */
async function sayAll({ process, place, recalled }: ChatParts, talk: Talk, output: TextOutput): Promise<number> {
  if (place.session !== undefined && recalled.some(({ result }) => result === undefined))
    await talk.goOn(place.session.id);
  let count = 0;
  for await (const line of inputLines(process.stdin)) {
    if (isLeaving(line)) return exitCodes.done;
    if (line.trim() === '') continue;
    count += 1;
    const spoken = await readOwnLine(line, { place, process });
    if (spoken.type === 'unfit') {
      output.note(spoken.reason);
      continue;
    }
    const said = await talk.say(spoken.text, spoken.images);
    output.finish(said);
    if (said.type === 'settled' && said.result.type === 'interrupted') return exitCodes.interrupted;
  }
  if (count === 0 && recalled.length === 0)
    output.note('Nothing came in on stdin. Start talaria in a terminal to chat, or: talaria run "…"');
  return exitCodes.done;
}
