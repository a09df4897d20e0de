import type { Socket } from 'node:net';

import { parseJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';

const longestAnswer = 8_000_000;

/**
 * What an Ollama answers on one of its own paths: to a GET, or, where there is a body, to a POST. Undefined where nothing
 * listens, or what it says is late, too long or no JSON. Where nothing listens this costs one refused connection: the HTTP
 * client is loaded only once something has taken the connection.
 */
export async function askOllama(url: URL, deadline: AbortSignal, body?: Json): Promise<Json | undefined> {
  const socket = await connect(url, deadline);
  if (socket === undefined) return undefined;
  try {
    return parseJson(await exchange(url, socket, deadline, body));
  } finally {
    socket.destroy();
  }
}

// Modules are reached through the process: an import of `node:http` would load the built-in fetch with it.
function connect(url: URL, deadline: AbortSignal): Promise<Socket | undefined> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const target = { host, port: Number(url.port || (isSecure ? 443 : 80)) };
  return new Promise((resolve) => {
    const socket = isSecure
      ? process.getBuiltinModule('node:tls').connect(target)
      : process.getBuiltinModule('node:net').connect(target);
    const giveUp = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(socket));
    socket.on('error', giveUp);
    deadline.addEventListener('abort', giveUp, { once: true });
    if (deadline.aborted) giveUp();
  });
}

/** What the server sends, or nothing where it breaks off, takes too long or says too much. */
function exchange(url: URL, socket: Socket, signal: AbortSignal, body: Json | undefined): Promise<string> {
  const http = process.getBuiltinModule('node:http');
  const text = body === undefined ? '' : JSON.stringify(body);
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { host: url.host, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve) => {
    const options = { path: url.pathname, method, headers, createConnection: () => socket, signal };
    const request = http.request(options, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        answer += piece;
        if (answer.length > longestAnswer) request.destroy();
      });
      response.on('end', () => resolve(response.statusCode === 200 ? answer : ''));
      response.on('error', () => resolve(''));
    });
    request.on('error', () => resolve(''));
    request.end(text);
  });
}
