import { chmod, rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { describeError, systemErrorCode } from '../base/errors.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import type { JsonObject } from '../base/json.ts';

/** Answers a request; undefined where it has taken over the connection and is done with it. */
export type ControlHandler = (request: JsonObject, connection: Socket) => Promise<JsonObject | undefined>;

// The last two: on a path too long for a socket nobody can listen.
export const nobodyThere: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'EINVAL', 'ENAMETOOLONG']);
const longestLine = 10_000;
const patienceMs = 10_000;

/**
 * Lets commands of the same user reach the running program: one line of JSON in, one out, or a talk that begins with
 * such a line. The system does not tell us who connects, so the way in is what keeps others out: the socket stands in a folder
 * that is closed to others, and is closed to them itself. The home belongs to this process by then, so a socket that is
 * there was left by a dead one.
 */
export async function openControlSocket(path: string, handle: ControlHandler): Promise<AsyncDisposable> {
  const { createServer } = await import('node:net');
  await rm(path, { force: true });
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    // Whoever asked may be gone before the answer.
    connection.on('error', () => connection.destroy());
    void answer(connection, handle);
  });
  await listen(server, path);
  await chmod(path, 0o600);
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

/** Asks the program that runs on this home; undefined where none listens. */
export async function askControlSocket(path: string, request: JsonObject): Promise<JsonObject | undefined> {
  const { createConnection } = await import('node:net');
  const connection = createConnection(path);
  connection.setTimeout(patienceMs, () => connection.destroy(new Error('the running program does not answer')));
  try {
    connection.write(`${JSON.stringify(request)}\n`);
    const answered = parseJson(await readLine(connection));
    return isJsonObject(answered) ? answered : {};
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code !== undefined && nobodyThere.has(code)) return undefined;
    throw thrown;
  } finally {
    connection.destroy();
  }
}

async function answer(connection: Socket, handle: ControlHandler): Promise<void> {
  try {
    const request = parseJson(await readLine(connection));
    const answered = isJsonObject(request)
      ? await handle(request, connection)
      : { ok: false, text: 'that is no request' };
    if (answered !== undefined) connection.end(`${JSON.stringify(answered)}\n`);
  } catch (thrown) {
    if (!connection.destroyed) connection.end(`${JSON.stringify({ ok: false, text: describeError(thrown) })}\n`);
  }
}

async function readLine(connection: Socket): Promise<string> {
  let text = '';
  connection.setEncoding('utf8');
  // The other half stays open for the answer, so the stream must outlive this loop.
  for await (const chunk of connection.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
    if (text.length > longestLine) throw new Error('the line is too long');
  }
  return text;
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
