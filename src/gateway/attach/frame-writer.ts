import type { Socket } from 'node:net';
import { AppError } from '../../base/errors.ts';
import { encodeFrame, longestFrame } from './frames.ts';
import type { GatewayFrame } from './frames.ts';

// A stopped terminal reads nothing, and a turn waits for no terminal.
const mostWaiting = 16 * 1024 * 1024;
const partLength = 256 * 1024;

/** Sends frames to one attached program, without ever holding more for it than a bound. */
export class FrameWriter {
  readonly #connection: Socket;

  constructor(connection: Socket) {
    this.#connection = connection;
  }

  /**
   * Sends what nobody waits for. Whoever does not read for so long that too much waits is cut off: the log has it all, and
   * the terminal reads on there when it comes back.
   */
  push(frame: GatewayFrame): void {
    if (this.#connection.destroyed) return;
    this.#connection.write(encodeFrame(frame));
    if (this.#connection.writableLength > mostWaiting) this.#connection.destroy();
  }

  /** Returns a value, a list in parts, and waits while the other side has enough to read. */
  async returns(id: number, value: unknown): Promise<void> {
    if (!Array.isArray(value)) {
      await this.#send({ type: 'returned', id, value });
      return;
    }
    const parts = [...splitList(value)];
    for (const items of parts.slice(0, -1)) await this.#send({ type: 'part', id, items });
    await this.#send({ type: 'returned', id, value: parts.at(-1) ?? [] });
  }

  async #send(frame: GatewayFrame): Promise<void> {
    const text = encodeFrame(frame);
    if (text.length > longestFrame) throw new AppError('unsupported', 'that is too large to be sent to a terminal');
    if (this.#connection.destroyed || this.#connection.write(text)) return;
    await whenReadOn(this.#connection);
  }
}

/** Parts of about equal length; a list that is long comes to no long frame. */
function* splitList(list: readonly unknown[]): Generator<readonly unknown[], void> {
  let items: unknown[] = [];
  let length = 0;
  for (const item of list) {
    items.push(item);
    length += JSON.stringify(item).length;
    if (length < partLength) continue;
    yield items;
    items = [];
    length = 0;
  }
  if (items.length > 0) yield items;
}

function whenReadOn(connection: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      connection.off('drain', go).off('close', go);
      resolve();
    };
    connection.on('drain', go).on('close', go);
  });
}
