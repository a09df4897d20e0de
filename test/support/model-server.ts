import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { describeError } from '../../src/base/errors.ts';
import { isJsonObject, parseJson } from '../../src/base/json.ts';
import { failsWith } from './model-script.ts';
import type { ModelScript, ModelStep, SeenRequest, WireAction } from './model-script.ts';

/**
 * A model for tests: real HTTP on 127.0.0.1, answers from a script, and a record of every request byte for byte.
 * When the script has run out it answers 500 and says so.
 *
 *     await using server = await startModelServer([callsTool('terminal', { command: 'date' }), says('Done.')]);
 *     // point the client at server.baseUrl …
 *     assert.equal(server.requests[0]?.body, '…');
 */
export async function startModelServer(script: ModelScript = []): Promise<ModelServer> {
  const server = new ModelServer(script);
  await server.listen();
  return server;
}

export class ModelServer implements AsyncDisposable {
  /** Every request so far, in order of arrival (of the last byte of its body). */
  readonly requests: SeenRequest[] = [];
  readonly #script: ModelScript;
  readonly #added: ModelStep[] = [];
  readonly #http: Server = createServer();
  readonly #connections = new Map<Socket, number>();
  readonly #watchers = new Set<() => void>();
  readonly #stalled = new Set<() => void>();
  #connectionCount = 0;

  constructor(script: ModelScript) {
    this.#script = script;
    this.#http.keepAliveTimeout = 0;
    this.#http.on('connection', (socket) => this.#keepTrackOf(socket));
    this.#http.on('request', (request, response) => {
      void this.#serve(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
    });
  }

  /** The address to configure as the runtime's base URL. */
  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** How many TCP connections are open now. */
  get openConnections(): number {
    return this.#connections.size;
  }

  /** How many answers stand still in `stallsAfter` or `staysSilent`. */
  get stalledAnswers(): number {
    return this.#stalled.size;
  }

  /** Adds answers behind those of a script that is a list. */
  add(...steps: readonly ModelStep[]): void {
    this.#added.push(...steps);
  }

  /** Resolves with the n-th request (counted from 1) as soon as all of it has arrived. */
  async whenRequested(count: number): Promise<SeenRequest> {
    await this.#until(() => this.requests.length >= count);
    return this.requests[count - 1] as SeenRequest;
  }

  /** Resolves as soon as no connection is open; at once if none is. */
  whenDisconnected(): Promise<void> {
    return this.#until(() => this.#connections.size === 0);
  }

  /** Resolves as soon as so many answers stand still. */
  whenStalled(count = 1): Promise<void> {
    return this.#until(() => this.#stalled.size >= count);
  }

  /** Resolves as soon as no answer stands still. */
  whenNoneStalled(): Promise<void> {
    return this.#until(() => this.#stalled.size === 0);
  }

  /** Lets every answer that stands still go on. */
  release(): void {
    for (const goOn of this.#stalled) goOn();
    this.#stalled.clear();
  }

  async listen(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
  }

  /** Closes the port and every connection: later requests are refused. */
  async close(): Promise<void> {
    if (!this.#http.listening) return;
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #keepTrackOf(socket: Socket): void {
    this.#connectionCount += 1;
    this.#connections.set(socket, this.#connectionCount);
    // A client that goes away in the middle of an answer is what some tests are about; it is no error of the server.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#connections.delete(socket);
      this.#tell();
    });
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await this.#record(message);
    const step = await this.#nextStep(request);
    for (const action of step.plan(request)) {
      if (response.destroyed) return;
      await this.#act(action, response);
    }
  }

  async #record(message: IncomingMessage): Promise<SeenRequest> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of message) chunks.push(chunk as Uint8Array);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString('utf8');
    const json = parseJson(body);
    const request: SeenRequest = {
      index: this.requests.length,
      method: message.method ?? '',
      path: message.url ?? '',
      headers: message.headers as Record<string, string>,
      body,
      bytes,
      json: isJsonObject(json) ? json : undefined,
      connection: this.#connections.get(message.socket) ?? 0,
    };
    this.requests.push(request);
    this.#tell();
    return request;
  }

  async #nextStep(request: SeenRequest): Promise<ModelStep> {
    const { index } = request;
    try {
      const step = typeof this.#script === 'function' ? await this.#script(request, index) : this.#stepAt(index);
      return step ?? refuse(`the test's script has no answer for request ${index + 1}`);
    } catch (thrown) {
      return refuse(`the test's script threw at request ${index + 1}: ${describeError(thrown)}`);
    }
  }

  #stepAt(index: number): ModelStep | undefined {
    return [...(this.#script as readonly ModelStep[]), ...this.#added][index];
  }

  async #act(action: WireAction, response: ServerResponse): Promise<void> {
    switch (action.type) {
      case 'wait':
        await action.gate;
        return;
      case 'head':
        response.writeHead(action.status, action.headers);
        response.flushHeaders();
        return;
      case 'send':
        await new Promise<void>((resolve) => {
          response.write(action.bytes, () => resolve());
        });
        return;
      case 'stall':
        await this.#stall(response);
        return;
      case 'end':
        response.end();
        return;
      case 'drop':
        response.socket?.destroySoon();
        return;
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
    }
  }

  async #stall(response: ServerResponse): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stalled.add(resolve);
    response.once('close', resolve);
    this.#tell();
    await promise;
    this.#stalled.delete(resolve);
    this.#tell();
    response.off('close', resolve);
  }

  /** Every wait looks again whenever anything happened, so that no event can be missed. */
  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
    }
  }

  #tell(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}

function refuse(message: string): ModelStep {
  return failsWith(500, { error: { message } });
}
