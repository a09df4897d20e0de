import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectDeps } from '../../../src/app/tool-servers.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { LoggingIn, LoginPerson } from '../../../src/model/mcp-logins.ts';
import { mcpServers } from '../../../src/model/mcp-settings.ts';
import { FileMcpLogins } from '../../../src/store/home/mcp-logins.ts';
import { openWays } from '../../../src/tools/mcp/http-transport.ts';
import { logInAt } from '../../../src/tools/mcp/oauth/log-in-at.ts';
import { agreeInBrowser, nothing } from '../../support/agree-in-browser.ts';
import { AuthorisedSite } from '../../support/authorised-site.ts';
import type { SiteOptions } from '../../support/authorised-site.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { openServers } from './open-servers.ts';
import type { ServerBench, ServersOptions } from './open-servers.ts';

interface Opened extends AsyncDisposable {
  readonly site: AuthorisedSite;
  readonly bench: ServerBench;
  /** Logs in, beside the servers that run: as another process would. */
  logIn(person?: LoginPerson, more?: { readonly scope?: string; readonly clock?: Clock }): Promise<LoggingIn>;
}

async function open(
  siteOptions: SiteOptions = {},
  oauth: JsonObject = {},
  options: ServersOptions = {},
): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await AuthorisedSite.open(siteOptions));
  const entry = { url: site.url, headers: { 'X-Key': 'moonlight' }, oauth };
  const bench = stack.use(await openServers(() => ({ tides: entry }), options));
  const resources = stack.move();
  const [server] = Object.values(mcpServers({ tides: entry as never }));
  const { secrets = {} } = options;
  return {
    site,
    bench,
    async logIn(person = agreeInBrowser(), { scope, clock = systemClock } = {}) {
      assert.ok(server);
      const logins = new FileMcpLogins(join(bench.folder, 'logins'));
      const known = { get: (name: string) => secrets[name] };
      const deps = await connectDeps({ env: {}, secrets: known, logins, clock, log: silentLog });
      return await logInAt('tides', server, { scope, person }, { ...deps, clock });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function loginFile({ folder }: ServerBench): string {
  return join(folder, 'logins', 'tides.json');
}

test('MCP-09 a server that asks for a login says how to log in, and after that its tools are there without a restart', async () => {
  await using own = await open();
  await own.bench.servers.prepare();
  const before = own.bench.servers.report()[0]?.state;

  const outcome = await own.logIn();
  await own.bench.servers.prepare();

  assert.deepEqual(before, { type: 'needs-login' });
  assert.deepEqual(outcome, { type: 'logged-in' });
  assert.match(await own.bench.run('mcp_tides_high_water', {}), /at noon/);
  assert.equal(
    own.bench.lines.filter((line) => line.includes('is not connected: needs login: talaria mcp login tides')).length,
    1,
  );
});

test('MCP-10 a login is kept in a file that only its owner can read, and is found in no line of the log', async () => {
  await using own = await open();
  await own.bench.servers.prepare();
  await own.logIn();
  await own.bench.servers.prepare();

  const file = loginFile(own.bench);

  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(join(own.bench.folder, 'logins'))).mode & 0o777, 0o700);
  const text = await readFile(file, 'utf8');
  assert.equal(own.site.secrets.length, 2);
  for (const secret of own.site.secrets) {
    assert.ok(text.includes(secret) && own.bench.logins.secrets().includes(secret));
    assert.ok(!own.bench.lines.some((line) => line.includes(secret)));
  }
});

test('headers of the settings go to the server alone, and its tokens to no other address under its name', async () => {
  await using own = await open();
  await using elsewhere = await AuthorisedSite.open();
  await own.logIn();
  await own.bench.servers.prepare();
  own.bench.configure({ tides: { url: elsewhere.url } });
  await own.bench.servers.prepare();

  const withKey = own.site.asks.filter(({ headers }) => headers['x-key'] === 'moonlight').map(({ at }) => at);
  assert.deepEqual([...new Set(withKey)], ['server']);
  assert.deepEqual(own.bench.servers.report()[0]?.state, { type: 'needs-login' });
  assert.deepEqual(elsewhere.asks.map(({ headers }) => headers.authorization).filter(Boolean), []);
});

test('a server on the public internet cannot refer us to one that is not', async () => {
  await using site = await AuthorisedSite.open();
  using ways = openWays(new URL('https://tides.example/mcp'), {}, () => new Agent());
  const { port } = new URL(site.url);

  const referred = [site.url, `http://localhost:${port}/mcp`, `http://[::ffff:127.0.0.1]:${port}/mcp`].map((url) =>
    ways.fetch(url, {}),
  );

  for (const { status } of await Promise.allSettled(referred)) assert.equal(status, 'rejected');
  assert.deepEqual(site.asks, []);
});

test('MCP-09 a token that the server refuses is renewed, and the call made once more', async () => {
  await using own = await open({ accessSeconds: 600 });
  await own.logIn();
  await own.bench.servers.prepare();
  const first = await own.bench.run('mcp_tides_high_water', {});

  own.site.passTime(601_000);
  const second = await own.bench.run('mcp_tides_high_water', {});

  assert.match(first, /at noon/);
  assert.match(second, /at noon/);
  assert.equal(own.site.countOf('refresh_token'), 1);
});

test('a token that has run out is renewed ahead of the request: the server never sees it', async () => {
  await using own = await open();
  await own.logIn(agreeInBrowser(), { clock: new ManualClock(0) });
  const [first] = own.site.secrets;

  await own.bench.servers.prepare();

  assert.equal(own.site.countOf('refresh_token'), 1);
  assert.ok(first !== undefined && !own.site.asks.some(({ headers }) => headers.authorization === `Bearer ${first}`));
});

test('of two processes that need a new token at once, one asks for it and both use it', async () => {
  await using own = await open({ accessSeconds: 600 });
  await own.logIn();
  await own.bench.servers.prepare();
  await using other = await openServers(() => ({ tides: { url: own.site.url } }), {
    loginFolder: join(own.bench.folder, 'logins'),
  });
  await other.servers.prepare();
  own.site.passTime(601_000);

  const answers = await Promise.all([own.bench, other].map((bench) => bench.run('mcp_tides_high_water', {})));

  for (const answer of answers) assert.match(answer, /at noon/);
  assert.equal(own.site.countOf('refresh_token'), 1);
});

test('a login that was revoked costs the call, says how to log in anew, and a new one works', async () => {
  await using own = await open();
  await own.logIn();
  await own.bench.servers.prepare();
  own.site.revoke();

  const refused = await own.bench.run('mcp_tides_high_water', {});
  const state = own.bench.servers.report()[0]?.state;
  const again = await own.bench.run('mcp_tides_high_water', {});
  await own.logIn();
  const answered = await own.bench.run('mcp_tides_high_water', {});

  assert.match(refused, /did nothing: needs login: talaria mcp login tides/);
  assert.deepEqual(state, { type: 'needs-login' });
  assert.match(again, /needs login: talaria mcp login tides/);
  assert.match(answered, /at noon/);
});

test('that a server asks for a login does not overwrite one that was made in the meantime', async () => {
  await using own = await open();
  await own.logIn();
  const { logins } = own.bench;
  const held = logins.read('tides', own.site.url);
  assert.ok(held?.type === 'held');

  await logins.noteAsked('tides', own.site.url);
  await logins.noteAsked('tides', own.site.url, { ...held, tokens: { access_token: 'older' } });
  const after = logins.read('tides', own.site.url);
  await logins.noteAsked('tides', own.site.url, held);

  assert.deepEqual(after, held);
  assert.deepEqual(logins.read('tides', own.site.url), { type: 'asked', url: own.site.url });
});

test('what a login does not cover is refused with the command for a wider one', async () => {
  await using own = await open({ scopeOfTool: 'tides:write' });
  await own.logIn();
  await own.bench.servers.prepare();

  const refused = await own.bench.run('mcp_tides_high_water', {});
  await own.logIn(agreeInBrowser(), { scope: 'tides:write' });
  const answered = await own.bench.run('mcp_tides_high_water', {});

  assert.match(refused, /a wider one: talaria mcp login tides --scope 'tides:write'/);
  assert.match(answered, /at noon/);
});

test('a client that the settings name is used with its secret, and the secret is not kept with the login', async () => {
  const secrets = { TIDES_SECRET: 'sea-salt-1234' };
  const oauth = { client_id: 'ours', client_secret_env: 'TIDES_SECRET' };
  await using own = await open({ clients: { ours: 'sea-salt-1234' } }, oauth, { secrets });

  const outcome = await own.logIn();
  own.site.passTime(3_601_000);
  await own.bench.servers.prepare();

  assert.deepEqual(outcome, { type: 'logged-in' });
  assert.deepEqual(own.bench.servers.report()[0]?.state, { type: 'connected', tools: 1 });
  assert.equal(own.site.countOf('refresh_token'), 1);
  assert.doesNotMatch(await readFile(loginFile(own.bench), 'utf8'), /sea-salt/);
});

for (const [what, siteOptions, oauth, problem] of [
  ['a person who does not agree', { consent: 'no' }, {}, /^the login was refused: Not today\.$/],
  ['a secret that nobody set', { clients: {} }, { client_id: 'ours', client_secret_env: 'NONE' }, /^NONE is not set/],
  [
    'a server at which nobody can register',
    { clients: {} },
    {},
    /^it does not register the program .*oauth\.client_id$/,
  ],
] as readonly (readonly [string, SiteOptions, JsonObject, RegExp])[]) {
  test(`${what} is a login that failed, with the reason`, async () => {
    await using own = await open(siteOptions, oauth);

    const outcome = await own.logIn();

    assert.match(outcome.type === 'failed' ? outcome.problem : outcome.type, problem);
    assert.equal(own.bench.logins.read('tides', own.site.url), undefined);
  });
}

/** Somebody who holds the address that a login leads back to, and brings it in a way of their own. */
function bringing(bring: (back: URL) => Promise<void>, pasted: AsyncIterable<string> = nothing()): LoginPerson {
  return {
    show(address) {
      void fetch(address, { redirect: 'manual' }).then((answer) =>
        bring(new URL(answer.headers.get('location') ?? '')),
      );
    },
    pasted,
    complain: () => undefined,
  };
}

test('what comes back without the state of this login changes nothing; the right one is taken once and told how it went', async () => {
  await using own = await open();
  const seen: (readonly [number, string])[] = [];
  const visit = async (address: URL, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
    seen.push(await get(address, headers));
  };

  const { promise: shown, resolve: wasShown } = Promise.withResolvers<void>();
  const outcome = await own.logIn(
    bringing(async (back) => {
      const wrong = new URL(back);
      wrong.searchParams.set('state', 'guessed');
      await visit(wrong);
      await visit(new URL('/', back));
      await visit(back, { host: 'elsewhere.example' });
      await visit(back);
      wasShown();
    }),
  );
  // The page is read on its own; the login does not wait for that.
  await shown;

  assert.deepEqual(outcome, { type: 'logged-in' });
  assert.deepEqual(
    seen.map(([status]) => status),
    [400, 404, 404, 200],
  );
  assert.match(seen.at(-1)?.[1] ?? '', /You are logged in\. This page can be closed\./);
});

function get(address: URL, headers: Readonly<Record<string, string>>): Promise<readonly [number, string]> {
  return new Promise((resolve, reject) => {
    const asking = request(address, { headers }, (answer) => {
      void answer.toArray().then((pieces) => resolve([answer.statusCode ?? 0, pieces.join('')]), reject);
    });
    asking.once('error', reject).end();
  });
}

test('without a browser here the address that one ended at elsewhere is pasted; another one is told for what it is', async () => {
  await using own = await open();
  const { promise: copied, resolve: copy } = Promise.withResolvers<URL>();
  const complaints: string[] = [];
  async function* paste(): AsyncGenerator<string> {
    yield 'http://127.0.0.1:1/callback?code=x&state=y';
    yield `  ${(await copied).href}\n`;
  }
  const person = bringing((back) => Promise.resolve(copy(back)), paste());

  const outcome = await own.logIn({ ...person, complain: (problem) => complaints.push(problem) });

  assert.deepEqual(outcome, { type: 'logged-in' });
  assert.equal(complaints.length, 1);
});

test('a login that nobody comes back from ends after five minutes', async () => {
  await using own = await open();
  const clock = new ManualClock();
  const person: LoginPerson = { show: () => undefined, pasted: nothing(), complain: () => undefined };

  const login = own.logIn(person, { clock });
  await clock.whenSomeoneSleeps();
  clock.advance(300_000);

  assert.deepEqual(await login, { type: 'failed', problem: 'nobody came back from the browser within 5 minutes' });
});
