/** The smallest programs that do the bare thing. They are the floors, and are written as anyone would write them. */

/** Asks the model once and prints what came back. */
export function askModel(baseUrl: string): string {
  return `
import { createRequire } from 'node:module';
const { request } = createRequire(import.meta.url)('node:http');
const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: 'say hi' }] });
request('${baseUrl}/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' } }, (answer) => {
  answer.pipe(process.stdout);
}).end(body);
`;
}

/**
 * Starts bash so many times, one after the other, and then again with a question to the model after each. Prints the
 * mean time of one in milliseconds, of both kinds, as JSON.
 */
export function spawnShells(count: number, baseUrl: string): string {
  return `
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
const { Agent, request } = createRequire(import.meta.url)('node:http');
const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: 'say hi' }] });

const runShell = () => new Promise((resolve) => {
  const shell = spawn('bash', ['-c', 'echo measured'], { stdio: ['ignore', 'pipe', 'pipe'] });
  shell.stdout.resume();
  shell.stderr.resume();
  shell.on('close', resolve);
});
const askModel = () => new Promise((resolve) => {
  const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } };
  request('${baseUrl}/chat/completions', options, (answer) => answer.resume().on('end', resolve)).end(body);
});
const meanMs = async (work) => {
  await work();
  const start = performance.now();
  for (let round = 0; round < ${count}; round += 1) await work();
  return (performance.now() - start) / ${count};
};

const shell = await meanMs(runShell);
const shellAndModel = await meanMs(async () => {
  await runShell();
  await askModel();
});
console.log(JSON.stringify({ shell, shellAndModel }));
agent.destroy();
`;
}

/** Starts bash in bubblewrap so many times, one after the other, and prints the mean time of one in milliseconds. */
export function spawnEnclosedShells(count: number): string {
  return `
import { spawn } from 'node:child_process';
const view = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
const runShell = () => new Promise((resolve) => {
  const shell = spawn('bwrap', [...view, 'bash', '-c', 'echo measured'], { stdio: ['ignore', 'pipe', 'pipe'] });
  shell.stdout.resume();
  shell.stderr.resume();
  shell.on('close', resolve);
});
await runShell();
const start = performance.now();
for (let round = 0; round < ${count}; round += 1) await runShell();
console.log((performance.now() - start) / ${count});
`;
}

/** Serves HTTP and holds a database open, and does nothing else. Prints its address. */
export function serveNothing(): string {
  return `
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
const database = new DatabaseSync('idle.db');
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS rows (text TEXT NOT NULL)');
const server = createServer((request, response) => response.end('here'));
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;
}
