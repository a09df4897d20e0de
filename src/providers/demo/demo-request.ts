import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { steeringTag } from '../../model/message.ts';

/** A call that the demo made for the newest message of the user, and what came of it. */
export interface DemoRound {
  readonly tool: string;
  readonly input: JsonObject;
  readonly result: string;
}

/** What the demo sees of a request. */
export interface DemoRequest {
  /** What the user wants: the newest message, and what was added while tools ran. */
  readonly wishes: readonly string[];
  /** What stands in the place of the pictures of the newest message, which it cannot see. */
  readonly pictures: readonly string[];
  readonly rounds: readonly DemoRound[];
  /** What it did for messages before that one. */
  readonly earlier: readonly DemoRound[];
  readonly tools: ReadonlySet<string>;
  readonly hasSpoken: 'yes' | 'no';
}

const steering = new RegExp(`\\n*<${steeringTag}>\\n([\\s\\S]*?)\\n</${steeringTag}>\\s*$`);

// What ended in the background is told among the messages of the user, and is none of them.
const news = /^\[.*\bThis is no message of the user\b.*\]\n*/gm;

// Each on a line of its own, as a model reads it that takes no pictures.
const picture = /^\[an image: .*\]$/gm;

/** Reads the body of a chat completions request, as a server would. */
export function readDemoRequest(body: string): DemoRequest {
  const parsed = parseJson(body);
  const request = isJsonObject(parsed) ? parsed : {};
  const messages = objectsIn(request['messages']);
  const lastUser = messages.findLastIndex((message) => message['role'] === 'user' && !isOnlyNews(message));
  const since = messages.slice(lastUser + 1);
  const added = since.flatMap((message) => steering.exec(textIn(message['content']))?.[1] ?? []);
  const said = textIn(messages[lastUser]?.['content']).replaceAll(news, '');
  return {
    wishes: [said.replaceAll(picture, ''), ...added],
    pictures: said.match(picture) ?? [],
    rounds: roundsIn(since),
    earlier: roundsIn(messages.slice(0, Math.max(lastUser, 0))),
    tools: request['tool_choice'] === 'none' ? new Set() : new Set(objectsIn(request['tools']).map(nameOf)),
    hasSpoken: messages.some((message) => message['role'] === 'assistant' && textIn(message['content']) !== '')
      ? 'yes'
      : 'no',
  };
}

function isOnlyNews(message: JsonObject): boolean {
  const text = textIn(message['content']);
  return text !== '' && text.replaceAll(news, '').trim() === '';
}

function roundsIn(messages: readonly JsonObject[]): readonly DemoRound[] {
  return messages.flatMap((message) => roundsOf(message, messages));
}

function roundsOf(message: JsonObject, messages: readonly JsonObject[]): readonly DemoRound[] {
  return objectsIn(message['tool_calls']).map((call) => {
    const answer = messages.find((other) => other['role'] === 'tool' && other['tool_call_id'] === call['id']);
    const spoken = isJsonObject(call['function']) ? call['function'] : {};
    const input = parseJson(textIn(spoken['arguments']));
    return {
      tool: nameOf(call),
      input: isJsonObject(input) ? input : {},
      result: textIn(answer?.['content']).replace(steering, ''),
    };
  });
}

function nameOf(tool: JsonObject): string {
  return isJsonObject(tool['function']) ? textIn(tool['function']['name']) : '';
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
