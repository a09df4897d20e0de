import { exitCodeOfSignal } from '../exit-codes.ts';
import { nameSession } from '../name-session.ts';
import type { ChatParts } from './chat-parts.ts';
import { InteractiveChat } from './interactive-chat.ts';
import { linesToBringBack } from './lines-to-bring-back.ts';

/** A chat with the person at this terminal, until they leave. */
export async function chatWithPerson(parts: ChatParts): Promise<number> {
  using chat = new InteractiveChat(parts, await linesToBringBack(parts));
  using _signals = parts.process.onStopSignal((signal) => {
    if (signal === 'SIGINT') chat.interrupt();
    else chat.leave(exitCodeOfSignal(signal));
  });
  const { address } = parts.place.seat;
  const served = await parts.app.serveTerminal({ ...parts.place.seat, port: chat }, parts.place.session?.settings);
  using _watching = served.gateway.watch(address, (turn, event) => chat.take(turn, event));
  await chat.begin(served);
  // Even where whoever served this is lost.
  await using _looking = { [Symbol.asyncDispose]: () => chat.lookBack() };
  return await nameSession(Promise.race([chat.left, served.lost]), () => chat.sessionId);
}
