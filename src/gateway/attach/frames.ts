import { isJsonObject, parseJson } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Outbound } from '../../model/channel.ts';
import type { StepEvent, TurnRef } from '../../model/turn.ts';

/** Changes with every change of what is said over the socket: two programs that differ in it refuse each other. */
export const protocolVersion = 2;

/** Characters of one frame. The pictures of a message come to less than half of it. */
export const longestFrame = 64 * 1024 * 1024;

/** What a terminal sends, one line of JSON each: first who it is, then calls. */
export type TerminalFrame =
  | { readonly type: 'hello'; readonly protocol: number }
  | { readonly type: 'call'; readonly id: number; readonly method: string; readonly params: object };

/** What the gateway sends. A list is returned in parts, so that no frame grows with the length of a session. */
export type GatewayFrame =
  | { readonly type: 'welcome'; readonly protocol: number; readonly warnings: readonly string[] }
  | { readonly type: 'refused'; readonly protocol: number }
  | { readonly type: 'part'; readonly id: number; readonly items: readonly unknown[] }
  | { readonly type: 'returned'; readonly id: number; readonly value?: unknown }
  | { readonly type: 'threw'; readonly id: number; readonly code?: string; readonly message: string }
  | { readonly type: 'event'; readonly turn: TurnRef; readonly event: StepEvent }
  | { readonly type: 'show'; readonly message: Outbound }
  | { readonly type: 'concluded'; readonly question: Outbound; readonly ending: string };

export function encodeFrame(frame: TerminalFrame | GatewayFrame): string {
  return `${JSON.stringify(frame)}\n`;
}

export interface FrameSource {
  setEncoding(encoding: 'utf8'): unknown;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<unknown>;
}

/** The frames of a connection, in order. Throws at what is none, and at one that is too long, before it is all there. */
export async function* readFrames(connection: FrameSource, longest = longestFrame): AsyncGenerator<JsonObject, void> {
  connection.setEncoding('utf8');
  let begun: string[] = [];
  let length = 0;
  // The other direction stays open, so the stream must outlive this loop.
  for await (const chunk of connection.iterator({ destroyOnReturn: false })) {
    const [first = '', ...lines] = String(chunk).split('\n');
    begun.push(first);
    length += first.length;
    for (const line of lines) {
      if (length > longest) throw new Error('a frame is too long');
      yield readFrame(begun.join(''));
      begun = [line];
      length = line.length;
    }
    if (length > longest) throw new Error('a frame is too long');
  }
}

function readFrame(line: string): JsonObject {
  const frame = parseJson(line);
  if (!isJsonObject(frame)) throw new Error('that is no frame');
  return frame;
}
