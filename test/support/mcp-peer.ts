/**
 * An MCP server over stdio for tests, written by hand so that it can break the rules. Arguments: how it behaves, and a folder
 * where it leaves notes: `starts` has a line for each start, `cancelled` one for each call that was taken back,
 * and `family` one for each process that it started itself.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

type Message = { readonly id?: number; readonly method?: string; readonly params?: Record<string, unknown> };

const [behaviour = 'usual', notes = '.'] = process.argv.slice(2);
const tools = ['echo', 'environment', 'hang', 'die', 'huge', 'change', 'family', 'fail', 'report'];
const added: string[] = [];

appendFileSync(join(notes, 'starts'), `${process.pid}\n`);
process.stderr.write(`the peer is ${behaviour}\n`);
if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}
// Broken until somebody mends it.
if (behaviour === 'dies' || (behaviour === 'mendable' && !existsSync(join(notes, 'mended')))) {
  process.stderr.write('the battery is empty\n');
  process.exit(3);
}
if (behaviour === 'floods') flood();

for await (const line of createInterface({ input: process.stdin })) take(JSON.parse(line) as Message);

function take({ id, method, params }: Message): void {
  if (method === 'notifications/cancelled') appendFileSync(join(notes, 'cancelled'), `${String(params?.['reason'])}\n`);
  if (id === undefined || behaviour === 'hangs') return;
  if (method === 'initialize') {
    const serverInfo = { name: 'peer', version: '1' };
    const capabilities = { tools: { listChanged: true } };
    answer(id, { protocolVersion: params?.['protocolVersion'], capabilities, serverInfo });
  } else if (method === 'tools/list') answer(id, { tools: [...tools, ...added].map(describe) });
  else if (method === 'tools/call') call(id, String(params?.['name']), params ?? {});
  else answer(id, {});
}

function describe(name: string): object {
  const properties = { text: { type: 'string', description: 'some text' } };
  const required = name === 'echo' ? ['text'] : [];
  const annotations = { readOnlyHint: name === 'echo', idempotentHint: name === 'fail' };
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties, required }, annotations };
}

function call(id: number, name: string, params: Record<string, unknown>): void {
  const input = params['arguments'] as Record<string, unknown> | undefined;
  const { progressToken } = (params['_meta'] ?? {}) as { readonly progressToken?: number };
  switch (name) {
    case 'echo':
      return say(id, String(input?.['text']));
    case 'environment':
      return say(id, JSON.stringify(process.env));
    case 'hang':
      return send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: 'it hangs' } });
    case 'die':
      return process.exit(7);
    case 'huge':
      return say(id, 'x'.repeat(3_000_000));
    case 'fail':
      return answer(id, { isError: true, content: [{ type: 'text', text: 'it cannot be done' }] });
    case 'report':
      return answer(id, { content: [], structuredContent: { depth: 3 } });
    case 'family': {
      const { pid } = spawn('sleep', ['600'], { stdio: 'ignore' });
      appendFileSync(join(notes, 'family'), `${pid}\n`);
      return say(id, 'there is a child');
    }
    case 'change':
      added.push(`new_${added.length + 1}`);
      send({ method: 'notifications/tools/list_changed' });
      return say(id, 'changed');
    default:
      return say(id, `did ${name}`);
  }
}

function say(id: number, text: string): void {
  answer(id, { content: [{ type: 'text', text }] });
}

function answer(id: number, result: object): void {
  send({ id, result });
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function flood(): never {
  const line = `${'not a message '.repeat(100)}\n`.repeat(50);
  for (;;) for (const stream of [1, 2]) writeIfItCan(stream, line);
}

function writeIfItCan(stream: number, text: string): void {
  try {
    writeSync(stream, text);
  } catch (thrown) {
    // The other end reads more slowly than this one writes.
    if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
  }
}
