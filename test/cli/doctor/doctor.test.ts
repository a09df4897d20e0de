import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Finding, FindingGroup } from '../../../src/cli/doctor/finding.ts';
import { makeFakeSystemd } from '../../support/fake-systemctl.ts';
import { says } from '../../support/model-script.ts';
import { anna, botToken } from '../../support/telegram-server.ts';
import { openGatewayDesk } from '../gateway/gateway-desk.ts';
import { openDesk } from '../support/program.ts';
import type { Desk, StartOptions } from '../support/program.ts';

interface Report {
  readonly ok: boolean;
  readonly broken: number;
  readonly groups: readonly FindingGroup[];
  readonly code: number | null;
}

/** What it says for programs. It must be one document and nothing else. */
async function examine(desk: Desk, env: StartOptions['env'] = {}): Promise<Report> {
  const { stdout, stderr, code } = await desk.run(['doctor', '--json'], { env });
  assert.equal(stderr, '');
  return { ...(JSON.parse(stdout) as Report), code };
}

function find({ groups }: Report, groupName: string, name: string): Omit<Finding, 'name'> | undefined {
  const { name: _, ...finding } =
    groups.find((group) => group.name === groupName)?.findings.find((each) => each.name === name) ?? {};
  return 'level' in finding ? finding : undefined;
}

/** Everything below a folder, with its contents, permissions and dates. */
async function snapshot(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const lines = ['.', ...names].map(async (name) => {
    const path = join(folder, name);
    const { mode, mtimeMs, isFile } = await lstat(path).then((found) => ({
      mode: found.mode.toString(8),
      mtimeMs: found.mtimeMs,
      isFile: found.isFile(),
    }));
    const digest = isFile
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : '';
    return `${name} ${mode} ${mtimeMs} ${digest}`;
  });
  return (await Promise.all(lines)).toSorted();
}

test('the doctor makes no home where there is none, and says what a start would do', async () => {
  await using desk = await openDesk();
  await rm(desk.home, { recursive: true });

  const { stdout, code } = await desk.run(['doctor'], { env: { OLLAMA_HOST: '127.0.0.1:1' } });

  assert.equal(code, 0);
  assert.equal(existsSync(desk.home), false);
  // Where the line breaks depends on how long the name of the folder is.
  assert.match(stdout, /^ {2}- {7}folder {7}\S+home\s+does\s+not\s+exist\s+yet;\s+the/m);
  assert.match(stdout, /^ {2}hint {4}model {8}demo:demo stands in, offline/m);
  assert.ok(stdout.includes(`run: mkdir -pm 700 ${desk.home} && \${EDITOR:-vi} ${desk.home}/.env\n`));
  assert.match(stdout, /\nNothing is broken; \d+ hints?\.\n$/);
});

test('the doctor names everything that is wrong with a home, shows no secret of it, and changes nothing in it', async () => {
  await using desk = await openDesk();
  const secrets = { key: 'not-shaped-like-a-key-at-all', token: botToken };
  await desk.setConfig({
    model: { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted', key_env: 'MY_KEY' },
    terminal: { timout: 5 },
    web: { host: '0.0.0.0' },
    mcp_servers: {
      gone: { command: 'no-such-program-anywhere' },
      there: { command: 'sh', trust: true },
      unset: { url: 'https://tides.example/mcp', headers: { Authorization: 'Bearer ${TIDES_TOKEN}' } },
      off: { command: 'sh', enabled: false },
      shut: { url: 'https://calendar.example/mcp' },
    },
  });
  await writeFile(join(desk.home, '.env'), `MY_KEY=${secrets.key}\nTELEGRAM_BOT_TOKEN=${secrets.token}\n`);
  await chmod(join(desk.home, '.env'), 0o644);
  await chmod(desk.home, 0o755);
  await noteAsked(desk.home, 'shut');
  await writeFile(join(desk.home, 'state', 'standing-rules.json'), 'no JSON');
  const before = await snapshot(desk.home);

  const report = await examine(desk);
  const { stdout: text, code } = await desk.run(['doctor']);

  assert.deepEqual(await snapshot(desk.home), before);
  assert.deepEqual([report.ok, report.code, code], [false, 1, 1]);
  for (const secret of Object.values(secrets)) assert.ok(!`${JSON.stringify(report)}${text}`.includes(secret));
  const config = join(desk.home, 'config.json');
  const column = (await readFile(config, 'utf8')).indexOf('"timout"') + 1;
  assert.deepEqual(find(report, 'home', '.env'), {
    level: 'hint',
    text: 'open to other users (0644); the next start closes it (0600)',
    fix: `chmod 0600 ${join(desk.home, '.env')}`,
  });
  assert.equal(find(report, 'home', 'permissions')?.fix, `chmod 0700 ${desk.home}`);
  assert.deepEqual(find(report, 'settings', 'warning'), {
    level: 'hint',
    text: `${config}:1:${column}: unknown key terminal.timout is ignored; did you mean timeout?`,
    fix: `\${EDITOR:-vi} +1 ${config}`,
  });
  assert.deepEqual(find(report, 'model', 'model'), { level: 'fine', text: 'custom:scripted' });
  assert.deepEqual(find(report, 'model', 'key'), { level: 'fine', text: 'MY_KEY, in .env of the home' });
  assert.equal(find(report, 'channels', 'telegram')?.text, 'its token is TELEGRAM_BOT_TOKEN, in .env of the home');
  assert.equal(find(report, 'channels', 'access')?.fix, 'talaria gateway setup');
  assert.equal(find(report, 'channels', 'page')?.level, 'broken');
  assert.match(find(report, 'channels', 'folder')?.text ?? '', /^new chats with the bot .* telegram\.workdir names/);
  assert.deepEqual(find(report, 'mcp', 'gone'), {
    level: 'broken',
    text: 'there is no program no-such-program-anywhere on the PATH',
  });
  assert.equal(find(report, 'mcp', 'there')?.level, 'fine');
  assert.equal(find(report, 'mcp', 'unset')?.text, 'TIDES_TOKEN is not set');
  assert.deepEqual(find(report, 'mcp', 'off'), { level: 'note', text: 'switched off in the settings' });
  assert.equal(find(report, 'mcp', 'shut')?.fix, 'talaria mcp login shut');
  assert.equal(find(report, 'consent', 'rules')?.level, 'broken');
  assert.equal(find(report, 'consent', 'mcp')?.text, 'not asked about: there');
  // The page, three servers and the rules; the rest is in order, or a hint.
  assert.equal(report.broken, 5);
});

/** As a server does that lets nobody in without a login. */
async function noteAsked(home: string, server: string): Promise<void> {
  const folder = join(home, 'state', 'mcp-logins');
  await mkdir(folder, { recursive: true });
  const asked = { type: 'asked', url: 'https://calendar.example/mcp' };
  await writeFile(join(folder, `${server}.json`), JSON.stringify(asked));
}

test('with settings that were never good the doctor says where they are broken, and looks at what does not go by them', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.home, 'config.yaml'), 'model:\n  provider: [\n');
  const keys = join(desk.home, '.env');
  await writeFile(keys, 'A=1\na-key-without-a-name\n');

  const report = await examine(desk);

  assert.equal(report.code, 1);
  assert.match(find(report, 'settings', 'problem')?.text ?? '', /config\.yaml:\d+:\d+: /);
  assert.match(find(report, 'settings', 'problem')?.fix ?? '', /^\$\{EDITOR:-vi\} \+\d+ \S+config\.yaml$/);
  assert.deepEqual(find(report, 'settings', 'warning'), {
    level: 'hint',
    text: `${keys}:2:1: this is neither NAME=value nor a comment, and no key comes of it`,
    fix: `\${EDITOR:-vi} +2 ${keys}`,
  });
  assert.deepEqual(find(report, 'model', 'unknown'), {
    level: 'note',
    text: 'it goes by the settings, which are broken',
  });
  assert.equal(find(report, 'hands', 'bash')?.level, 'fine');
  assert.equal(report.broken, 1);
});

test('the doctor says where commands run when that is not here, and what is missing for it, without asking there', async () => {
  await using desk = await openDesk();
  const write = (terminal: string): Promise<void> =>
    writeFile(join(desk.home, 'config.yaml'), `terminal: ${terminal}\n`);

  await write('{ backend: ssh }');
  const unset = await examine(desk);
  await write('{ backend: ssh, ssh: { host: box.example } }');
  const open = await examine(desk);
  await write('{ backend: docker, docker: { image: "debian:13", command: podman } }');
  const shutIn = await examine(desk, { PATH: dirname(process.execPath) });

  assert.match(find(unset, 'hands', 'commands')?.text ?? '', /terminal\.ssh\.host names no host/);
  // Said once, where it costs something.
  assert.doesNotMatch(JSON.stringify(unset.groups.find(({ name }) => name === 'settings')), /names no host/);
  assert.deepEqual(find(open, 'hands', 'sandbox'), {
    level: 'hint',
    text: 'not enforced: nothing keeps commands in on box.example; they are asked about',
  });
  assert.equal(
    find(open, 'consent', 'questions')?.text,
    'commands that may change anything are asked about, unless they stay in a sandbox; silence is a no after 600 s',
  );
  assert.equal(find(shutIn, 'hands', 'commands')?.text, 'not found: podman, which leads to a container of debian:13');
  assert.deepEqual(find(shutIn, 'hands', 'sandbox'), {
    level: 'fine',
    text: 'a container of debian:13, without network',
  });
});

test('with settings that were good once the doctor says that those are used', async () => {
  await using desk = await openDesk();
  await desk.run(['config', 'check']);
  await writeFile(join(desk.home, 'config.json'), '{"model": {"provider": 5}}');

  const report = await examine(desk);
  const texts = report.groups.find(({ name }) => name === 'settings')?.findings.map(({ level, text }) => [level, text]);

  assert.deepEqual([report.code, report.broken], [1, 1]);
  assert.match(texts?.[0]?.[1] ?? '', /config\.json:1:24: model\.provider/);
  assert.equal(texts?.[1]?.[0], 'note');
  assert.match(texts?.[1]?.[1] ?? '', /^the settings of \d{4}-\d\d-\d\d \d\d:\d\d are used until this is mended$/);
  assert.deepEqual(find(report, 'model', 'model'), { level: 'fine', text: 'custom:scripted' });
});

test('the servers of a project that nobody trusts are named by doctor and mcp list, with the command that trusts it', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.workdir, '.mcp.json'), '{"mcpServers":{"sea":{"command":"sh"}}}');

  const report = await examine(desk);
  const listed = await desk.run(['mcp', 'list']);
  const { ignored } = JSON.parse((await desk.run(['mcp', 'list', '--json'])).stdout) as { ignored: unknown };

  const fix = `talaria trust ${desk.workdir}`;
  const reason = 'the folder is not trusted';
  assert.deepEqual(find(report, 'mcp', '.mcp.json'), {
    level: 'note',
    text: `that of ${desk.workdir} is not used: ${reason}`,
    fix,
  });
  assert.equal(
    listed.stderr,
    `talaria: .mcp.json in ${desk.workdir} is not used: ${reason}. To look at it and trust it: ${fix}\n`,
  );
  assert.deepEqual(ignored, { name: '.mcp.json', folder: desk.workdir, reason, fix });
});

test('a home that is no folder, and a database that is none, are broken, and cost nothing else', async () => {
  await using desk = await openDesk();
  const file = join(desk.workdir, 'a-file');
  await writeFile(file, '');
  await mkdir(join(desk.home, 'state', 'talaria.db'), { recursive: true });

  const noFolder = await examine(desk, { TALARIA_HOME: file });
  const noDatabase = await examine(desk);

  assert.deepEqual(find(noFolder, 'home', 'folder'), {
    level: 'broken',
    text: `${file} is not a folder`,
    fix: 'TALARIA_HOME=FOLDER talaria',
  });
  assert.equal(find(noFolder, 'home', 'permissions'), undefined);
  assert.equal(find(noFolder, 'hands', 'bash')?.level, 'fine');
  assert.equal(find(noDatabase, 'store', 'database')?.level, 'broken');
  assert.deepEqual([noDatabase.broken, noDatabase.code], [1, 1]);
});

test('the doctor names the key that a model lacks, and the file that it goes into', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'anthropic' } });

  const report = await examine(desk);
  const withKey = await examine(desk, { ANTHROPIC_API_KEY: 'sk-ant-of-the-environment' });

  assert.deepEqual(find(report, 'model', 'model'), {
    level: 'broken',
    text: `${desk.home}/config.json:1:22: the provider anthropic has no key: set ANTHROPIC_API_KEY`,
    fix: `\${EDITOR:-vi} ${desk.home}/.env`,
  });
  assert.deepEqual(find(withKey, 'model', 'key'), { level: 'fine', text: 'ANTHROPIC_API_KEY, in the environment' });
  assert.equal(withKey.code, 0);
});

test('of Ollamas the doctor asks the one on this machine alone', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'ollama' } });

  const near = await examine(desk, { OLLAMA_HOST: '127.0.0.1:1' });
  const far = await examine(desk, { OLLAMA_HOST: 'http://192.0.2.1:11434' });

  assert.match(find(near, 'model', 'model')?.text ?? '', /no Ollama answers at http:\/\/127\.0\.0\.1:1$/);
  assert.deepEqual(find(far, 'model', 'ollama'), {
    level: 'note',
    text: 'http://192.0.2.1:11434 is another machine, and is not asked',
  });
});

test('a port that the settings name for the page and another program has is broken; the usual one is a hint', async () => {
  await using desk = await openDesk();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model = { provider: 'demo' };
  await desk.setConfig({ model, web: { port } });

  const taken = await examine(desk);
  server.close();
  await once(server, 'close');
  const free = await examine(desk);

  assert.deepEqual(find(taken, 'channels', 'folder'), {
    level: 'note',
    text: `new chats of the page begin in ${desk.env['HOME']}, a whole home, and so without a sandbox: their commands are asked about; web.workdir names another folder`,
    fix: '${EDITOR:-vi} "$(talaria config path)"',
  });
  assert.deepEqual(find(taken, 'channels', 'page'), {
    level: 'broken',
    text: `http://127.0.0.1:${port} is taken by another program, so that no gateway can start: set another web.port, or web.enabled to false`,
    fix: '${EDITOR:-vi} "$(talaria config path)"',
  });
  assert.deepEqual(find(free, 'channels', 'page'), {
    level: 'fine',
    text: `http://127.0.0.1:${port}, once a gateway runs`,
  });
});

test('beside a running gateway the doctor tells of it and leaves its database alone; a service that ends with the login is a hint', async (t) => {
  await using bench = await openGatewayDesk(() => says('Hello.'), [anna.id]);
  const { desk } = bench;
  const systemd = await makeFakeSystemd(dirname(desk.home), { lingering: 'refused' });
  const env = {
    ...systemd.env,
    PATH: `${systemd.folder}:${desk.env['PATH'] ?? ''}`,
    TELEGRAM_BOT_TOKEN: botToken,
  };
  if (process.platform === 'linux') assert.equal((await desk.run(['gateway', 'install'], { env })).code, 0);
  const gateway = await bench.start();

  const report = await examine(desk, env);

  assert.equal(report.code, 0);
  assert.match(
    find(report, 'gateway', 'running')?.text ?? '',
    new RegExp(`^pid ${gateway.child.pid}, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d$`),
  );
  assert.match(find(report, 'store', 'database')?.text ?? '', /, in use, and not looked into meanwhile$/);
  assert.equal(find(report, 'channels', 'access')?.text, '1 by the settings');
  if (process.platform !== 'linux') return t.skip('only Linux has systemd');
  assert.match(find(report, 'gateway', 'service')?.text ?? '', /^systemd: talaria-gateway-\S+ starts by itself$/);
  assert.equal(find(report, 'gateway', 'lingering')?.level, 'hint');
  assert.match(find(report, 'gateway', 'lingering')?.fix ?? '', /^sudo loginctl enable-linger \S+$/);
});
