import type { Socket } from 'node:net';
import { AppError, readErrorCode, systemErrorCode } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CallName, CallParams, CallResults } from '../../gateway/attach/calls.ts';
import { encodeFrame, protocolVersion, readFrames } from '../../gateway/attach/frames.ts';
import type { GatewayFrame } from '../../gateway/attach/frames.ts';
import { nobodyThere } from '../../gateway/control-socket.ts';

/** What the gateway sends by itself. */
export type PushedFrame = Extract<GatewayFrame, { readonly type: 'event' | 'show' | 'concluded' }>;

export interface LineEvents {
  /** In order: the next one comes when this one is dealt with. It must not wait for a call. */
  pushed(frame: PushedFrame): Promise<void>;
  /** The line is broken. Comes before the calls fail that were under way on it. */
  broken(): void;
}

interface Waiting {
  readonly items: unknown[];
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const patienceMs = 10_000;

/** One connection to a running gateway, over which calls are made. Once it is broken it stays so. */
export class GatewayLine {
  readonly warnings: readonly string[];
  readonly #connection: Socket;
  readonly #events: LineEvents;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isBroken = false;

  constructor(connection: Socket, warnings: readonly string[], events: LineEvents) {
    this.#connection = connection;
    this.warnings = warnings;
    this.#events = events;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  call<Name extends CallName>(name: Name, params: CallParams<Name>): Promise<CallResults[Name]> {
    if (this.#isBroken) return Promise.reject(gatewayGone());
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { items: [], resolve, reject });
    this.#connection.write(encodeFrame({ type: 'call', id, method: name, params }));
    return promise as Promise<CallResults[Name]>;
  }

  close(): void {
    this.#connection.destroy();
  }

  /** Takes what comes in until the line breaks. Never rejects: a line over which nonsense comes is broken too. */
  async listen(frames: AsyncIterable<JsonObject>): Promise<void> {
    let cause: unknown;
    try {
      for await (const frame of frames) await this.#take(frame);
    } catch (thrown) {
      cause = thrown;
    }
    this.#connection.destroy();
    this.#isBroken = true;
    this.#events.broken();
    for (const waiting of this.#waiting.values()) waiting.reject(gatewayGone(cause));
    this.#waiting.clear();
  }

  async #take(frame: JsonObject): Promise<void> {
    const { type, id } = frame;
    if (isPushed(frame)) {
      await this.#events.pushed(frame);
      return;
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) throw new Error('the gateway answers what was not asked');
    if (type === 'part' && Array.isArray(frame['items'])) waiting.items.push(...(frame['items'] as readonly unknown[]));
    else if (type === 'returned' || type === 'threw') {
      this.#waiting.delete(id as number);
      if (type === 'threw') waiting.reject(readError(frame));
      else waiting.resolve(Array.isArray(frame['value']) ? [...waiting.items, ...frame['value']] : frame['value']);
    } else throw new Error('the gateway says what makes no sense');
  }
}

/** Connects to the gateway that listens on the socket; undefined where none does. Throws where it speaks otherwise. */
export async function openGatewayLine(path: string, events: LineEvents): Promise<GatewayLine | undefined> {
  const { createConnection } = await import('node:net');
  const connection = createConnection(path);
  // An error ends the stream of frames, which is where it is seen.
  connection.on('error', () => connection.destroy());
  connection.setTimeout(patienceMs, () => connection.destroy(new Error('the gateway does not answer')));
  connection.write(encodeFrame({ type: 'hello', protocol: protocolVersion }));
  const frames = readFrames(connection);
  try {
    const warnings = readWelcome((await frames.next()).value ?? undefined);
    connection.setTimeout(0);
    const line = new GatewayLine(connection, warnings, events);
    void line.listen(frames);
    return line;
  } catch (thrown) {
    connection.destroy();
    if (thrown instanceof AppError) throw thrown;
    const code = systemErrorCode(thrown);
    if (code !== undefined && nobodyThere.has(code)) return undefined;
    throw gatewayGone(thrown);
  }
}

/** The warnings of the welcome. */
function readWelcome(frame: JsonObject | undefined): readonly string[] {
  if (frame === undefined) throw new Error('the gateway hung up');
  const { type, protocol, warnings } = frame;
  const isOurs = type === 'welcome' && protocol === protocolVersion && Array.isArray(warnings);
  if (isOurs) return (warnings as readonly unknown[]).map(String);
  const isNewer = typeof protocol === 'number' && protocol > protocolVersion;
  const advice = isNewer
    ? 'a gateway of a newer version runs on this home; update this program to attach to it'
    : 'a gateway of an older version runs on this home; restart it to attach to it';
  throw new AppError('already-running', advice);
}

function isPushed(frame: JsonObject): frame is JsonObject & PushedFrame {
  const { type, turn, event, message, question, ending } = frame;
  if (type === 'event') return isJsonObject(turn) && isJsonObject(event);
  if (type === 'show') return isJsonObject(message);
  return type === 'concluded' && isJsonObject(question) && typeof ending === 'string';
}

function readError({ code, message }: JsonObject): Error {
  const text = typeof message === 'string' ? message : 'the gateway does not say why';
  const known = readErrorCode(code);
  return known === undefined ? new Error(text) : new AppError(known, text);
}

function gatewayGone(cause?: unknown): AppError {
  return new AppError('gateway-gone', 'the gateway that served this has ended', { cause });
}
