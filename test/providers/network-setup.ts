import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';

/** A name that only a proxy can find: it stands for a server out there. */
export const farHost = 'model.test';

export interface TestProxy extends AsyncDisposable {
  readonly port: number;
  /** What it was asked for, and with which credentials. */
  readonly seen: readonly { readonly way: string; readonly target: string; readonly user: string | undefined }[];
}

/** What a proxy does with those who ask it: leads them to a port of this machine, turns them away, or says nothing. */
export type ProxyHabit = { readonly leadsTo: number } | { readonly refusesWith: number } | 'says-nothing';

/** A real proxy: plain requests come with the whole address, TLS by CONNECT. */
export async function startProxy(habit: ProxyHabit): Promise<TestProxy> {
  const seen: TestProxy['seen'][number][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((message, response) => {
    seen.push({ way: 'plain', target: message.url ?? '', user: userOf(message.headers['proxy-authorization']) });
    if (habit === 'says-nothing') return;
    if ('refusesWith' in habit) {
      response.writeHead(habit.refusesWith).end();
      return;
    }
    const { pathname } = new URL(message.url ?? '');
    const onward = request(
      { port: habit.leadsTo, path: pathname, method: message.method, headers: message.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      },
    );
    message.pipe(onward);
  });
  server.on('connect', (message, socket: Socket) => {
    seen.push({ way: 'connect', target: message.url ?? '', user: userOf(message.headers['proxy-authorization']) });
    if (habit === 'says-nothing') return;
    if ('refusesWith' in habit) socket.end(`HTTP/1.1 ${habit.refusesWith} No\r\n\r\n`);
    else {
      const onward = connect(habit.leadsTo, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      keepTrackOf(onward, sockets);
      onward.pipe(socket).pipe(onward);
    }
  });
  server.on('connection', (socket) => keepTrackOf(socket, sockets));
  return { port: await listen(server), seen, [Symbol.asyncDispose]: () => close(server, sockets) };
}

export interface SecureServer extends AsyncDisposable {
  readonly port: number;
  readonly bodies: readonly string[];
}

/** A server with a certificate of its own authority, which answers `ok` to everything. */
export async function startSecureServer(folder: string): Promise<SecureServer> {
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  const identity = { key: readFileSync(join(folder, 'server.key')), cert: readFileSync(join(folder, 'server.pem')) };
  const server = createTlsServer(identity, (message, response) => {
    let body = '';
    message.on('data', (piece: Buffer) => (body += piece.toString()));
    message.on('end', () => {
      bodies.push(body);
      response.end('ok');
    });
  });
  server.on('connection', (socket: Socket) => keepTrackOf(socket, sockets));
  return { port: await listen(server), bodies, [Symbol.asyncDispose]: () => close(server, sockets) };
}

/** Why certificates cannot be made here, or false. */
export const missingOpenssl: string | false = findOpenssl();

function findOpenssl(): string | false {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'openssl is not installed';
  }
}

/** Makes an authority and a certificate by it for the far host and for this machine; returns the authority's file. */
export function makeCertificates(folder: string): string {
  const run = (...words: readonly string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  writeFileSync(join(folder, 'names.cnf'), `subjectAltName=DNS:${farHost},IP:127.0.0.1\n`);
  run('req', '-x509', ...key, '-subj', '/CN=Test Authority', '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem');
  run('req', ...key, '-subj', `/CN=${farHost}`, '-keyout', 'server.key', '-out', 'server.csr');
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
  run('x509', '-req', '-in', 'server.csr', ...authority, '-extfile', 'names.cnf', '-out', 'server.pem');
  return join(folder, 'ca.pem');
}

function userOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : Buffer.from(header.replace('Basic ', ''), 'base64').toString();
}

function keepTrackOf(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => sockets.delete(socket));
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
