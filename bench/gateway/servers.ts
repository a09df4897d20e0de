import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveNothing } from '../bare-programs.ts';
import type { Command } from '../measure.ts';
import type { Product } from '../product.ts';
import { startObserved } from './observed-child.ts';
import type { ObservedChild } from './observed-child.ts';

/** A server that answers in chats. */
export interface ChatServer extends AsyncDisposable {
  readonly origin: string;
  readonly token: string;
  readonly process: ObservedChild;
}

/** The model, in a process of its own. */
export function startModel(): ObservedChild {
  return startObserved({ file: process.execPath, args: [join(import.meta.dirname, 'model-program.ts')] });
}

/** The gateway as it is installed, at a new home. */
export async function startGateway(
  product: Product,
  baseUrl: string,
  env: NodeJS.ProcessEnv = {},
): Promise<ChatServer> {
  const port = await findFreePort();
  const home = join(product.bareFolder, `gateway-${port}`);
  const config = `model:\n  provider: custom\n  base_url: ${baseUrl}\n  default: scripted\nweb:\n  port: ${port}\n`;
  await mkdir(join(home, 'cache'), { recursive: true, mode: 0o700 });
  await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
  const command = product.talaria(['gateway']);
  const child = startObserved({ ...command, env: { ...command.env, ...env, TALARIA_HOME: home } });
  const origin = `http://127.0.0.1:${port}`;
  await untilServed(origin, child);
  const token = (await readFile(join(home, 'web-token'), 'utf8')).trim();
  return { origin, token, process: child, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/** An agent without a log, as a floor. */
export async function startBareAgent(product: Product, baseUrl: string): Promise<ChatServer> {
  const env = { PATH: process.env['PATH'], MODEL_URL: baseUrl };
  const args = [join(import.meta.dirname, 'bare-agent.js')];
  return await startBare({ file: process.execPath, args, env, cwd: product.bareFolder });
}

/** A server without anything, as a floor. */
export async function startIdleServer(product: Product): Promise<ChatServer> {
  return await startBare(await product.writeBare('idle-server.mjs', serveNothing()));
}

async function startBare(command: Command): Promise<ChatServer> {
  const child = startObserved(command);
  const origin = await child.firstLine;
  return { origin, token: 'none', process: child, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function untilServed(origin: string, child: ObservedChild): Promise<void> {
  for (let tries = 0; child.isRunning() && tries < 600; tries += 1) {
    const answer = await fetch(origin).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await sleep(50);
  }
  throw new Error('the gateway does not serve its page');
}
