import { constants, open } from 'node:fs/promises';
import { describeError } from '../../base/errors.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { LiveMessage, LiveMessages } from '../../model/live-messages.ts';
import { privateFileMode } from '../private-folder.ts';
import { readTextFile } from '../read-text-file.ts';

/**
 * In a file of the home, of which the first line counts. It is written in its place, again and again: what a crash spoils of
 * it is a message that nobody takes off. What came while it was being written is written together.
 */
export class FileLiveMessages implements LiveMessages {
  readonly left: readonly LiveMessage[];
  readonly #file: string;
  readonly #log: Log;
  readonly #messages: Map<string, LiveMessage>;
  #current: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
    this.left = readMessages(file);
    this.#messages = new Map(this.left.map((message) => [keyOf(message), message]));
  }

  async add(message: LiveMessage): Promise<void> {
    this.#messages.set(keyOf(message), message);
    await this.#save();
  }

  async remove(messages: readonly LiveMessage[]): Promise<boolean> {
    // Each is tried, so that one write does for all of them.
    const wereThere = messages.map((message) => this.#messages.delete(keyOf(message)));
    return wereThere.includes(true) ? await this.#save() : await (this.#next ?? this.#current ?? true);
  }

  /** A save that has not begun yet writes what there is by then. */
  #save(): Promise<boolean> {
    this.#next ??= this.#saveAfter(this.#current);
    return this.#next;
  }

  async #saveAfter(before: Promise<boolean> | undefined): Promise<boolean> {
    await before;
    this.#current = this.#next;
    this.#next = undefined;
    try {
      await writeInPlace(this.#file, `${JSON.stringify([...this.#messages.values()])}\n`);
      return true;
    } catch (thrown) {
      this.#log.write('warn', 'what stands in chats could not be noted', { reason: describeError(thrown) });
      return false;
    }
  }
}

function keyOf({ account, chat, id }: LiveMessage): string {
  return JSON.stringify([account, chat, id]);
}

async function writeInPlace(path: string, text: string): Promise<void> {
  await using file = await open(path, constants.O_RDWR | constants.O_CREAT, privateFileMode);
  const bytes = Buffer.from(text);
  // The new line first: where a crash comes in between, what is left of the old text stands behind it.
  await file.write(bytes, 0, bytes.length, 0);
  await file.truncate(bytes.length);
  await file.datasync();
}

function readMessages(file: string): readonly LiveMessage[] {
  const found = readTextFile(file);
  const [line = ''] = found.type === 'text' ? found.text.split('\n', 1) : [];
  const listed = parseJson(line);
  return Array.isArray(listed) ? listed.flatMap((each: Json) => readMessage(each)) : [];
}

function readMessage(json: Json): readonly LiveMessage[] {
  if (!isJsonObject(json)) return [];
  const { type, account, chat, id, digest } = json;
  if (typeof account !== 'string' || typeof chat !== 'string' || typeof id !== 'number') return [];
  if (type === 'preview') return [{ type, account, chat, id }];
  return type === 'question' && typeof digest === 'string' ? [{ type, account, chat, id, digest }] : [];
}
