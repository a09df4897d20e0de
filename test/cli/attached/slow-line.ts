import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { readFrames } from '../../../src/gateway/attach/frames.ts';
import type { JsonObject } from '../../../src/base/json.ts';

/** A line to a gateway that holds back calls of one name, from when it is told to until it is told to let them go. */
export interface SlowLine extends AsyncDisposable {
  readonly path: string;
  readonly holdBack: (method: string) => { readonly held: Promise<void>; readonly letGo: () => void };
}

export async function openSlowLine(gateway: string, path: string): Promise<SlowLine> {
  let holding: { readonly method: string; readonly met: () => void; readonly over: Promise<void> } | undefined;
  const sockets = new Set<Socket>();
  const carry = async (from: Socket, to: Socket): Promise<void> => {
    for await (const frame of readFrames(from)) {
      const send = (): void => void to.write(`${JSON.stringify(frame)}\n`);
      if (holding === undefined || !isCallOf(frame, holding.method)) send();
      else {
        holding.met();
        void holding.over.then(send);
      }
    }
    to.end();
  };
  const server = createServer((terminal) => {
    const behind = createConnection(gateway);
    for (const socket of [terminal, behind]) sockets.add(socket.on('error', () => socket.destroy()));
    behind.pipe(terminal);
    void carry(terminal, behind).catch(() => behind.destroy());
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    path,
    holdBack(method) {
      const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holding = { method, met: held.resolve, over: over.promise };
      return { held: held.promise, letGo: over.resolve };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function isCallOf({ type, method }: JsonObject, name: string): boolean {
  return type === 'call' && method === name;
}
