import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Page } from 'playwright-core';
import { usualWebPort } from '../../../src/model/web-host.ts';
import { noBrowser, SharedChromium } from '../../support/browser.ts';
import { callsTool, says } from '../../support/model-script.ts';
import type { ModelScript } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk, Started } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const chromium = new SharedChromium();
after(() => chromium[Symbol.asyncDispose]());

const skip = noBrowser;

/** Starts the gateway, which serves nothing but the page. */
async function startGateway(desk: Desk, web: JsonObject = { port: 0 }): Promise<Started> {
  const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' };
  await desk.setConfig({ model, web });
  const started = desk.start(['gateway'], { longestMs: 120_000 });
  await started.prints(/Serving webchat with/);
  return started;
}

async function printLink(desk: Desk): Promise<string> {
  const { code, stdout, stderr } = await desk.run(['gateway', 'link']);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

async function shown(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('#messages .message .body').allInnerTexts();
  return texts.map((text) => text.trim());
}

/** Holds back the first answer, which a kill then makes worthless. */
function heldOnce(held: Promise<void>, text: string): ModelScript {
  return async (_request, index) => {
    if (index === 0) await held;
    return says(text);
  };
}

test('without a token for Telegram the gateway serves the page alone, and no link goes into a log', async () => {
  await using desk = await openDesk();
  const gateway = await startGateway(desk);

  const link = await printLink(desk);
  const answer = await fetch(link);
  gateway.child.kill('SIGTERM');
  const { code, stdout, stderr } = await gateway.ended;

  assert.deepEqual([code, stderr, answer.status], [0, '', 200]);
  const [, origin = ''] = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=[\w-]{32}$/.exec(link) ?? [];
  assert.equal(
    stdout,
    [
      'Serving webchat with custom:scripted. Ctrl-C stops it.',
      `The page: ${origin} (talaria gateway link prints a link that opens it)`,
      'Stopping. What is unfinished goes on at the next start.',
      '',
    ].join('\n'),
  );
});

/** Whoever else has the port on this machine will do as well. */
async function takeUsualPort(): Promise<AsyncDisposable> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.on('error', () => resolve());
  server.listen(usualWebPort, '127.0.0.1', () => resolve());
  await promise;
  return { [Symbol.asyncDispose]: () => new Promise((closed) => void server.close(() => closed())) };
}

test('that the usual port of the page is in use is said where its address is', async () => {
  await using _taken = await takeUsualPort();
  await using desk = await openDesk();
  const gateway = await startGateway(desk, {});

  await gateway.prints(/talaria gateway link/);
  const status = await desk.run(['gateway', 'status']);
  gateway.child.kill('SIGTERM');
  const { stdout } = await gateway.ended;
  const log = await desk.run(['gateway', 'logs']);

  const [, origin = ''] = /^page +(http:\S+) \(8787 is in use\)$/m.exec(status.stdout) ?? [];
  assert.notEqual(origin, '');
  const line = `The page: ${origin} (8787 is in use; talaria gateway link prints a link that opens it)`;
  assert.ok(stdout.split('\n').includes(line), stdout);
  assert.match(log.stdout, new RegExp(`8787 is in use; the page is served at ${origin}`));
});

test('a home with too long a path for a socket is served, and that is said before anything else fails', async () => {
  await using desk = await openDesk();
  const home = join(desk.home, 'x'.repeat(110));
  await mkdir(home, { mode: 0o700 });
  const env = { TALARIA_HOME: home };
  const setWeb = (web: JsonObject): Promise<void> => writeFile(join(home, 'config.json'), JSON.stringify({ web }));
  await setWeb({ port: 0 });
  const gateway = desk.start(['gateway'], { env });
  await gateway.prints(/talaria gateway link/);
  gateway.child.kill('SIGTERM');
  const served = await gateway.ended;

  await setWeb({ host: '0.0.0.0' });
  const failed = await desk.run(['gateway'], { env });

  const [first = '', second = ''] = failed.stderr.split('\n');
  assert.match(first, /^the path of this home is too long: .* set TALARIA_HOME to a folder with a shorter path$/);
  assert.match(second, /web\.host 0\.0\.0\.0 can be reached by other machines/);
  assert.equal(served.stderr, `${first}\n`);
});

test('in a terminal the gateway prints a link that lets a browser in, once', { skip: noTerminal }, async () => {
  await using desk = await openDesk();
  const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' };
  await desk.setConfig({ model, web: { port: 0 } });
  await using terminal = openTerminal(desk, ['gateway'], { columns: 150 });
  const screen = await terminal.shows(/good once, for 15 minutes/);
  const [, origin = '', code = ''] = /(http:\S+)\/#code=([\w-]{32})/.exec(screen) ?? [];

  const body = JSON.stringify({ code });
  const headers = { 'content-type': 'application/json' };
  const answers = [1, 2].map(() => fetch(`${origin}/api/login`, { method: 'POST', headers, body }));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assert.deepEqual(new Set(statuses), new Set([200, 401]));
});

test('where no gateway runs, a link is refused and a logout is done', async () => {
  await using desk = await openDesk();

  const [link, logout] = [await desk.run(['gateway', 'link']), await desk.run(['gateway', 'logout'])];

  assert.equal(link.code, 1);
  assert.match(link.stderr, /no gateway runs here; start one with: talaria gateway/);
  assert.deepEqual([logout.code, logout.stdout], [0, '0 browsers are logged out.\n']);
});

test(
  'a gateway that is killed before it answers is found again by the page, which shows one answer',
  { skip },
  async () => {
    const held = Promise.withResolvers<void>();
    await using desk = await openDesk(heldOnce(held.promise, 'Here I am.'));
    const first = await startGateway(desk);
    const link = await printLink(desk);
    await using browser = await chromium.open();
    const page = await browser.open(link);
    await send(page, 'are you there?');
    await desk.server.whenRequested(1);

    first.child.kill('SIGKILL');
    await first.ended;
    held.resolve();
    await page.getByText('Connection lost').waitFor();
    await startGateway(desk, { port: Number(new URL(link).port) });
    await page.locator('#messages .reply', { hasText: 'Here I am.' }).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    await send(page, 'thanks');
    await page.locator('#messages .reply', { hasText: 'Here I am.' }).nth(1).waitFor();

    assert.deepEqual(await shown(page), ['are you there?', 'Here I am.', 'thanks', 'Here I am.']);
    await page.reload();
    await page.locator('#messages .reply').nth(1).waitFor();
    assert.deepEqual(await shown(page), ['are you there?', 'Here I am.', 'thanks', 'Here I am.']);
  },
);

test('what is sent while no gateway runs is sent when one does, once', { skip }, async () => {
  await using desk = await openDesk(() => says('At last.'));
  const first = await startGateway(desk);
  const link = await printLink(desk);
  await using browser = await chromium.open();
  const page = await browser.open(link);
  await page.getByText('Connected', { exact: true }).waitFor();
  first.child.kill('SIGKILL');
  await first.ended;

  await send(page, 'can you hear me?');
  await page.getByText('Connection lost').waitFor();
  await startGateway(desk, { port: Number(new URL(link).port) });
  await page.locator('#messages .reply', { hasText: 'At last.' }).waitFor();

  assert.deepEqual(await shown(page), ['can you hear me?', 'At last.']);
  assert.equal(desk.server.requests.length, 1);
});

test('a question that a kill cut short is asked again, and its answer counts', { skip }, async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made' }), says('Done.')]);
  const first = await startGateway(desk);
  const link = await printLink(desk);
  await using browser = await chromium.open();
  const page = await browser.open(link);
  await send(page, 'make a file');
  await page.locator('.question').waitFor();
  const before = await page.locator('.question').getAttribute('id');

  first.child.kill('SIGKILL');
  await first.ended;
  await startGateway(desk, { port: Number(new URL(link).port) });
  await page.locator(`.question:not([id="${before}"])`).waitFor();
  await page.getByRole('button', { name: 'Once' }).click();
  await page.locator('#messages .reply', { hasText: 'Done.' }).waitFor();

  assert.equal(await page.locator('.question').count(), 0);
  assert.deepEqual(await shown(page), ['make a file', '✓ terminal touch made · allowed', 'Done.']);
});
