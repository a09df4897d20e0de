import type { Socket } from 'node:net';

import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';

export type OllamaProbe =
  | { readonly type: 'absent' }
  | { readonly type: 'present'; readonly models: readonly string[] };

const defaultPatienceMs = 150;
const longestList = 1_000_000;

/**
 * Whether an Ollama answers there, and with which models, most recently changed first. Where nothing listens this costs
 * one refused connection: the HTTP client is loaded only once something has taken the connection.
 */
export async function probeOllama(origin: string, patienceMs: number = defaultPatienceMs): Promise<OllamaProbe> {
  const url = new URL('/api/tags', origin);
  const deadline = AbortSignal.timeout(patienceMs);
  const socket = await connect(url, deadline);
  if (socket === undefined) return { type: 'absent' };
  try {
    const parsed = parseJson(await getText(url, socket, deadline));
    return isJsonObject(parsed) && Array.isArray(parsed['models'])
      ? { type: 'present', models: readModels(parsed['models']) }
      : { type: 'absent' };
  } finally {
    socket.destroy();
  }
}

// Modules are reached through the process: an import of `node:http` would load the built-in fetch with it.
function connect(url: URL, deadline: AbortSignal): Promise<Socket | undefined> {
  const net = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    const socket = net.connect({ host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port || 80) });
    const giveUp = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    socket.once('connect', () => resolve(socket));
    socket.on('error', giveUp);
    deadline.addEventListener('abort', giveUp, { once: true });
  });
}

/** What the server sends, or nothing where it breaks off, takes too long or says too much. */
function getText(url: URL, socket: Socket, signal: AbortSignal): Promise<string> {
  const http = process.getBuiltinModule('node:http');
  return new Promise((resolve) => {
    const request = http.get(url, { createConnection: () => socket, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > longestList) request.destroy();
      });
      response.on('end', () => resolve(text));
      response.on('error', () => resolve(''));
    });
    request.on('error', () => resolve(''));
  });
}

/** The models that can talk: those which only embed text are of another family. */
function readModels(models: readonly Json[]): readonly string[] {
  return models.flatMap((model) => {
    if (!isJsonObject(model) || typeof model['name'] !== 'string') return [];
    const family = isJsonObject(model['details']) ? model['details']['family'] : '';
    const isEmbedder = /embed/i.test(model['name']) || (typeof family === 'string' && /bert/i.test(family));
    return isEmbedder ? [] : [model['name']];
  });
}
