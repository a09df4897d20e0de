import { outcomeToText, partsToText } from '../../model/message.ts';
import type { Message } from '../../model/message.ts';
import { shortenText } from './shorten-text.ts';

interface Cuts {
  readonly speech: number;
  readonly result: number;
}

/** How long a message and a tool result may be, from generous to tight. */
const cuts: readonly Cuts[] = [
  { speech: 8000, result: 2000 },
  { speech: 3000, result: 700 },
  { speech: 1000, result: 250 },
];

/** Messages as a record that a model can read about rather than take part in, no longer than so many characters. Pure. */
export function renderRecord(messages: readonly Message[], mostCharacters: number): string {
  let text = '';
  for (const cut of cuts) {
    text = messages.map((message) => renderMessage(message, cut)).join('\n\n');
    if (text.length <= mostCharacters) return text;
  }
  return shortenText(text, mostCharacters);
}

function renderMessage(message: Message, { speech, result }: Cuts): string {
  switch (message.role) {
    case 'user':
      return `USER: ${shortenText(partsToText(message.parts), speech)}`;
    case 'assistant': {
      const text = partsToText(message.parts).trim();
      const calls = message.calls.map((call) => `CALL ${call.name} ${shortenText(call.arguments, result)}`);
      return [...(text === '' ? [] : [`ASSISTANT: ${shortenText(text, speech)}`]), ...calls].join('\n');
    }
    case 'tool': {
      const steering = message.steering.map((text) => `USER: ${shortenText(text, speech)}`);
      return [`RESULT: ${shortenText(outcomeToText(message.outcome), result)}`, ...steering].join('\n');
    }
  }
}
