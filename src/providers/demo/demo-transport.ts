import type { Clock } from '../../base/clock.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { BodyPiece, Transport, TransportAnswer, TransportRequest } from '../transport.ts';
import { decideReply } from './decide-reply.ts';
import type { DemoReply } from './decide-reply.ts';
import { readDemoRequest } from './demo-request.ts';

export interface DemoTransportOptions {
  readonly clock: Pick<Clock, 'sleep'>;
}

// Fast enough to keep nobody waiting, slow enough to be seen to stream.
const paceMs = 2;
const mostPieces = 40;

/** The far end of a wire that leads nowhere: reads chat completions requests and answers in the same bytes as a server. */
export class DemoTransport implements Transport {
  readonly #clock: Pick<Clock, 'sleep'>;

  constructor(options: DemoTransportOptions) {
    this.#clock = options.clock;
  }

  send(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer> {
    if (signal.aborted) return Promise.resolve({ type: 'failed', failure: { type: 'aborted' } });
    const reply = decideReply(readDemoRequest(request.body));
    const body = this.#stream(writeEvents(reply, request.body), signal);
    return Promise.resolve({ type: 'answered', status: 200, headers: { 'content-type': 'text/event-stream' }, body });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#stream(events: readonly string[], signal: AbortSignal): AsyncGenerator<BodyPiece, void> {
    for (const [index, event] of events.entries()) {
      // Only text is worth watching; it comes first, and the first piece of it at once.
      if (index > 0 && event.includes('"content"')) await this.#clock.sleep(paceMs, signal).catch(() => undefined);
      if (signal.aborted) {
        yield { type: 'failed', failure: { type: 'aborted' } };
        return;
      }
      yield { type: 'bytes', bytes: Buffer.from(event) };
    }
  }
}

function writeEvents(reply: DemoReply, body: string): readonly string[] {
  const deltas = reply.type === 'say' ? textDeltas(reply.text) : callDeltas(reply);
  const written = reply.type === 'say' ? reply.text : JSON.stringify(reply.input);
  const usage = { prompt_tokens: estimateTokens(body), completion_tokens: estimateTokens(written) };
  const finish = reply.type === 'say' ? 'stop' : 'tool_calls';
  return [
    ...deltas.map((delta) => writeEvent({ choices: [{ index: 0, delta, finish_reason: null }] })),
    writeEvent({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    writeEvent({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** Word by word; longer texts in larger pieces, so that none takes longer than the eye can follow. */
function textDeltas(text: string): readonly JsonObject[] {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  const size = Math.ceil(words.length / mostPieces);
  const deltas: JsonObject[] = [];
  for (let start = 0; start < words.length; start += size) {
    deltas.push({ content: words.slice(start, start + size).join('') });
  }
  return deltas;
}

/** Without an id, which the client then makes up from the request. */
function callDeltas(reply: Extract<DemoReply, { readonly type: 'call' }>): readonly JsonObject[] {
  const spoken = { name: reply.tool, arguments: JSON.stringify(reply.input) };
  return [{ tool_calls: [{ index: 0, type: 'function', function: spoken }] }];
}

function writeEvent(event: Json): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
