import type { PersonId } from '../base/ids.ts';
import type {
  Channel,
  ChannelTraits,
  Inbound,
  Outbound,
  Receipt,
  TerminalInput,
  TerminalPort,
} from '../model/channel.ts';
import { textPart } from '../model/message.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';

/** Where a terminal sits: the chat it shows and the folder it was opened in. */
export interface TerminalSeat {
  readonly port: TerminalPort;
  readonly address: Address;
  readonly person: PersonId;
  readonly workdir: string;
  /** Makes the ids of this terminal's messages; no two lines ever share one. */
  readonly newMessageId: () => string;
}

/** The terminal as a channel like any other. It serves exactly one chat. */
export function createTerminalChannel(seat: TerminalSeat): Channel {
  const key = addressKey(seat.address);
  const traits: ChannelTraits = {
    maxLength: Infinity,
    resend: 'same-key',
    asks: seat.port.asks,
    streams: 'yes',
    answers: 'at-once',
  };
  return {
    name: seat.address.platform,
    traits,
    serves: (address) => addressKey(address) === key,
    async *receive(signal) {
      for await (const input of seat.port.read(signal)) yield toInbound(input, seat);
    },
    send: (message) => show(message, seat.port),
    // A terminal watches the turn itself.
    preview: () => Promise.resolve(),
    conclude: (question, _platformId, ending) => Promise.resolve(seat.port.conclude(question, ending)),
  };
}

function toInbound(input: TerminalInput, { address, person, workdir, newMessageId }: TerminalSeat): Inbound {
  if (input.type === 'answer') return { ...input, address, person };
  const { platform, account, chat } = address;
  const key = { platform, account, chat, messageId: newMessageId(), revision: 0 };
  const { text, images, commands } = input;
  return {
    type: 'message',
    key,
    address,
    person,
    parts: text === '' ? [] : [textPart(text)],
    ...(images && { images }),
    ...(commands && { commands }),
    workdir,
  };
}

/** A terminal that shows the same reply twice shows it under the same key: its screen knows what it has shown. */
async function show(message: Outbound, port: TerminalPort): Promise<Receipt> {
  await port.show(withFileNames(message));
  return { type: 'sent', platformId: message.id };
}

/** Whoever sits here can open the files where they are. */
function withFileNames(message: Outbound): Outbound {
  const { files = [], text } = message;
  if (files.length === 0) return message;
  const lines = files.map(({ path }) => `[a file: ${path}]`);
  return { ...message, text: [text, ...lines].filter((line) => line !== '').join('\n') };
}
