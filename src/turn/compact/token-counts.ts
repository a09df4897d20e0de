import { imagesIn, partsToText, toolMessageToText } from '../../model/message.ts';
import type { Message } from '../../model/message.ts';

export type CountTokens = (text: string) => number;

/** What a server adds around each message to tell it from the next. */
const tokensAround = 4;
/** What a picture of a usual size counts as; how many bytes it has says nothing about that. */
const tokensOfImage = 1600;
const charactersPerToken = 3;

/** Estimated tokens of messages. Each message is read once, however often a conversation is measured. */
export class TokenCounts {
  readonly #known = new WeakMap<Message, number>();

  of(messages: readonly Message[], count: CountTokens): number {
    let total = 0;
    for (const message of messages) total += this.#ofOne(message, count);
    return total;
  }

  #ofOne(message: Message, count: CountTokens): number {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const tokens = count(messageText(message)) + tokensAround + imagesIn(message).length * tokensOfImage;
    this.#known.set(message, tokens);
    return tokens;
  }
}

/** The estimator, loaded when a conversation is long enough to be measured at all. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { estimateTokenCount } = await import('tokenx');
  return (text) => estimateTokenCount(text);
}

/** The characters of messages, and what images count as: what can be known about their size without reading them. */
export function countCharacters(messages: readonly Message[]): number {
  let total = 0;
  for (const message of messages) {
    total += messageText(message).length + imagesIn(message).length * tokensOfImage * charactersPerToken;
  }
  return total;
}

/** All that a model reads of a message, as one text. */
function messageText(message: Message): string {
  switch (message.role) {
    case 'user':
      return partsToText(message.parts);
    case 'assistant': {
      const calls = message.calls.map((call) => `${call.name} ${call.arguments}`);
      return [message.reasoning?.text ?? '', partsToText(message.parts), ...calls].join('\n');
    }
    case 'tool':
      return toolMessageToText(message);
  }
}
