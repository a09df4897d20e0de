import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AuthorisedSite } from '../../support/authorised-site.ts';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

/** A screen with a browser that agrees to everything, under the name that the system has for it. */
async function openScreen({ workdir, env }: Desk): Promise<Readonly<Record<string, string>>> {
  const folder = join(workdir, 'bin');
  await mkdir(folder);
  const browser = join(folder, 'xdg-open');
  const script = `#!${process.execPath}\nawait fetch(process.argv.at(-1));\n`;
  await writeFile(browser, script);
  await chmod(browser, 0o755);
  return { DISPLAY: ':0', PATH: `${folder}:${env['PATH']}` };
}

async function readLog({ home }: Desk): Promise<string> {
  const files = await readdir(join(home, 'logs'));
  return (await Promise.all(files.map((file) => readFile(join(home, 'logs', file), 'utf8')))).join('');
}

test('talaria mcp add takes a server that asks for a login, login opens a browser and brings its tools, logout forgets it', async () => {
  await using site = await AuthorisedSite.open();
  await using desk = await openDesk([callsTool('mcp_tides_high_water', {}), says('At noon.')]);
  const env = await openScreen(desk);

  const added = await desk.run(['mcp', 'add', 'tides', '--url', site.url, '--trust']);
  const before = await desk.run(['mcp', 'list']);
  const login = await desk.run(['mcp', 'login', 'tides'], { env });
  const after = await desk.run(['mcp', 'list']);
  const answer = await desk.run(['run', 'when is high water?']);
  const shown = await desk.run(['config', 'show']);
  const logout = await desk.run(['mcp', 'logout', 'tides']);
  const again = await desk.run(['mcp', 'logout', 'tides']);
  const tested = await desk.run(['mcp', 'test', 'tides']);

  assert.equal(added.code, 0);
  assert.match(added.stdout, /^tides: needs login: talaria mcp login tides\ntides is added\./);
  assert.match(before.stdout, /\(needs login: talaria mcp login tides\)$/m);
  assert.equal(
    login.stdout,
    'You are logged in at tides, which has 1 tool. A Talaria that runs takes it up with its next message.\n',
  );
  assert.match(after.stdout, /\(logged in\)$/m);
  assert.equal(answer.stdout, 'At noon.\n');
  assert.match(desk.server.requests[1]?.body ?? '', /at noon/);
  assert.match(logout.stdout, /^The login at tides is forgotten here\./);
  assert.equal(again.code, 1);
  assert.match(tested.stdout, /^tides: needs login: talaria mcp login tides$/m);
  const everything = [added, before, login, after, answer, shown, logout].map(({ stdout, stderr }) => stdout + stderr);
  const written = [...everything, await readLog(desk), ...desk.server.requests.map(({ body }) => body)].join('\n');
  assert.deepEqual(
    site.secrets.filter((secret) => written.includes(secret)),
    [],
  );
});

test('on a machine without a browser the address is shown, and the one that a browser elsewhere ends at is pasted', async () => {
  await using site = await AuthorisedSite.open();
  await using desk = await openDesk([]);
  await desk.run(['mcp', 'add', 'tides', '--url', site.url]);

  const started = desk.start(['mcp', 'login', 'tides'], { input: '', keepOpen: true });
  const address = await started.finds(/^ {2}(http\S+)$/m);
  const { headers } = await fetch(address, { redirect: 'manual' });
  started.child.stdin?.write(`${headers.get('location')}\n`);
  const { code, stdout } = await started.ended;

  assert.equal(code, 0);
  assert.match(stdout, /^You are logged in at tides, which has 1 tool\./);
});
