import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../support/model-script.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';
import { peer, published } from '../tools/mcp/open-servers.ts';

type Opened = AsyncDisposable & { readonly house: TestHouse; readonly notes: string };

/** A house whose settings name servers. Its clock stands still, so that a first message waits for them as long as it takes. */
async function openHouse(
  script: ModelScript,
  servers: (notes: string) => JsonObject,
  more: Partial<HouseOptions> = {},
): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const { path: notes } = stack.use(await makeTempFolder());
  const settings = { mcp_servers: servers(notes), ...more.settings };
  const house = stack.use(await openTestHouse({ script, clock: new ManualClock(), ...more, settings }));
  const resources = stack.move();
  return { house, notes, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function toolsOf(request: SeenRequest | undefined): readonly string[] {
  const tools = request?.json?.['tools'];
  return (Array.isArray(tools) ? (tools as readonly JsonObject[]) : []).map((tool) => {
    const { name } = tool['function'] as { readonly name: string };
    return name;
  });
}

function mcpToolsOf(request: SeenRequest | undefined): readonly string[] {
  return toolsOf(request).filter((name) => name.startsWith('mcp_'));
}

async function command(house: TestHouse, text: string): Promise<string> {
  const intake = await house.admit(text);
  return intake.type === 'commanded' ? intake.reply : '';
}

async function starts(notes: string): Promise<readonly number[]> {
  const text = await readFile(join(notes, 'starts'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

async function setServers({ house }: Opened, servers: JsonObject): Promise<void> {
  const path = join(house.home, 'config.json');
  const settings = JSON.parse(await readFile(path, 'utf8')) as JsonObject;
  await writeFile(path, JSON.stringify({ ...settings, mcp_servers: servers }));
}

test('at a terminal the first message waits for the servers, and a call of theirs asks with all it would do', async () => {
  await using own = await openHouse([callsTool('mcp_all_get_sum', { a: 19, b: 23 }), says('42.')], () => ({
    all: published('everything'),
  }));

  const reply = await own.house.say('add');

  assert.equal(reply, '42.');
  const question = own.house.shown.find(({ kind }) => kind === 'question');
  assert.match(question?.text ?? '', /call get-sum of the MCP server all with\n\{\n {2}"a": 19,\n {2}"b": 23\n\}/);
  assert.match(own.house.server.requests[1]?.body ?? '', /The sum of 19 and 23 is 42/);
});

test('on Telegram a tool of a server is used, and a refusal is one', async () => {
  await using notes = await makeTempFolder();
  const mcp = { sea: peer('usual', notes.path) };
  await using house = await openTelegramHouse({
    script: [callsTool('mcp_sea_echo', { text: 'ahoy' }), says('It was not to be.')],
    settings: { mcp_servers: mcp },
  });

  house.telegram.say('call');
  await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => text.includes('echo of the MCP server sea')));
  house.telegram.say('/deny');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('It was not to be.'));

  assert.match(house.model.requests[1]?.body ?? '', /REFUSED: /);
});

test('on Telegram a tool of a trusted server runs at once, and its answer is marked as foreign', async () => {
  await using notes = await makeTempFolder();
  await using house = await openTelegramHouse({
    script: [callsTool('mcp_sea_echo', { text: 'ahoy' }), says('Done.')],
    settings: { mcp_servers: { sea: peer('usual', notes.path, { trust: true }) } },
  });

  house.telegram.say('call');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Done.'));

  assert.match(
    house.model.requests[1]?.body ?? '',
    /from=\\"the MCP server sea\\">\\n\[Others wrote this[^\]]+\]\\nahoy\\n<\/foreign-text /,
  );
});

function keptPicture({ body }: SeenRequest): string {
  return /kept as (\S+\.png)\]/.exec(body)?.[1] ?? '';
}

test('on Telegram the picture that a server brings is one that the model can open and send on, at the path that it is told', async () => {
  const acts = [
    () => callsTool('mcp_all_get_tiny_image', {}),
    (seen: SeenRequest) => callsTool('read_file', { path: keptPicture(seen) }),
    (seen: SeenRequest) => callsTool('send_message', { text: 'Here it is.', file: keptPicture(seen) }),
  ];
  await using house = await openTelegramHouse({
    script: (request, index) => acts[index]?.(request) ?? says('Sent.'),
    settings: { mcp_servers: { all: published('everything', [], { trust: true }) } },
  });

  house.telegram.say('draw something');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Sent.'));

  assert.match(house.model.requests[2]?.body ?? '', /\.png is a picture; models that can see are shown it next/);
  assert.match(house.model.requests[3]?.body ?? '', /Handed over to telegram:/);
  assert.equal(house.telegram.callsOf('sendPhoto').length, 1);
});

function hasNew(request: SeenRequest | undefined): boolean {
  return mcpToolsOf(request).includes('mcp_sea_new_1');
}

test('S12 MCP-05 a server that changes its tools has the agent rebuilt with the next message, and the ledger says so', async () => {
  await using own = await openHouse(
    (_request, index) => (index === 0 ? callsTool('mcp_sea_change', {}) : says('Seen.')),
    (notes) => ({ sea: peer('usual', notes, { trust: true }) }),
  );
  const { requests } = own.house.server;

  await own.house.say('change');
  const duringTheTurn = requests.map(hasNew);
  // The library waits a moment for further changes before it asks for the list.
  while (!hasNew(requests.at(-1))) await own.house.say('look');
  const why = await command(own.house, '/usage why');

  assert.deepEqual(duringTheTurn, [false, false]);
  assert.match(why, /The tool list changed: mcp_sea_new_1 added/);
});

test('as long as nothing changes, every request extends the one before it, over a restart, too', async () => {
  await using own = await openHouse(
    () => says('Yes.'),
    (notes) => ({ sea: peer('usual', notes), wind: peer('usual', notes) }),
  );

  await own.house.say('one');
  await own.house.restart();
  await own.house.say('two');

  const [first, second] = own.house.server.requests;
  assert.ok(mcpToolsOf(first).length === 18);
  assert.deepEqual(second?.json?.['tools'], first?.json?.['tools']);
});

test('servers come and go with an edit of the settings, from the next message on', async () => {
  await using own = await openHouse(
    () => says('Yes.'),
    (notes) => ({ sea: peer('usual', notes) }),
  );
  await own.house.say('one');
  const [old = 0] = await starts(own.notes);

  await setServers(own, { wind: peer('usual', own.notes) });
  await own.house.say('two');
  await setServers(own, {});
  await own.house.say('three');

  const [one, two, three] = own.house.server.requests.map(mcpToolsOf);
  assert.ok(one?.every((name) => name.startsWith('mcp_sea_')) && one.length === 9);
  assert.ok(two?.every((name) => name.startsWith('mcp_wind_')) && two.length === 9);
  assert.deepEqual(three, []);
  assert.equal(await isRunning(old), false);
});

test('/reload-mcp connects anew, says how the servers stand, and the next message has another agent', async () => {
  await using own = await openHouse(
    () => says('Yes.'),
    (notes) => ({ sea: peer('usual', notes), wind: peer('dies', notes) }),
  );
  await own.house.say('one');
  const before = (await own.house.frozenPrompt())?.signature;

  const told = await command(own.house, '/reload-mcp');
  const status = await command(own.house, '/status');
  await own.house.say('two');

  assert.match(
    told,
    /^sea: connected, 9 tools\nwind: not connected: it ended with exit code 3: the battery is empty\./,
  );
  assert.match(status, /^mcp {6}sea: connected, 9 tools\nmcp {6}wind: not connected: /m);
  assert.notEqual((await own.house.frozenPrompt())?.signature, before);
});

test('where the settings name no server, /reload-mcp says so, and nothing is started', async () => {
  await using house = await openTestHouse({ script: [] });

  assert.match(await command(house, '/reload-mcp'), /^The settings name no MCP server\./);
});

test('tools of large servers are found and called through the bridge, with consent to the tool itself', async () => {
  await using own = await openHouse(
    [
      callsTool('tool_search', { query: 'sum of numbers' }),
      callsTool('tool_call', { name: 'mcp_all_get_sum', arguments: { a: 2, b: 3 } }),
      callsTool('tool_call', { name: 'mcp_all_nothing', arguments: {} }),
      says('5.'),
    ],
    () => ({ all: published('everything') }),
    { settings: { tools: { tool_search: { enabled: 'on' } } } },
  );

  await own.house.say('add');

  const [first, second, third, fourth] = own.house.server.requests;
  assert.deepEqual(mcpToolsOf(first), []);
  assert.ok(toolsOf(first).includes('tool_search') && toolsOf(first).includes('tool_call'));
  assert.match(second?.body ?? '', /mcp_all_get_sum: Returns the sum of two numbers/);
  assert.match(third?.body ?? '', /The sum of 2 and 3 is 5/);
  assert.match(fourth?.body ?? '', /ERROR: there is no tool of that name here/);
  const questions = own.house.shown.filter(({ kind }) => kind === 'question');
  assert.equal(questions.length, 1);
  assert.match(questions[0]?.text ?? '', /call get-sum of the MCP server all/);
});

test('a stop in the middle of a call ends the turn, and the server is told', async () => {
  await using own = await openHouse([callsTool('mcp_sea_hang', {})], (notes) => ({
    sea: peer('usual', notes, { trust: true }),
  }));
  const hanging = own.house.when((event) => event.type === 'tool.progress');
  await own.house.admit('hang');
  await hanging;

  await own.house.say('/stop');

  const settled = (await own.house.log()).flatMap(({ entry }) =>
    entry.type === 'tool.settled' ? [entry.outcome] : [],
  );
  assert.deepEqual(settled, [{ type: 'interrupted' }]);
});

test('a platform gets the servers that its toolsets name, and no others', async () => {
  await using own = await openHouse(
    () => says('Yes.'),
    (notes) => ({ sea: peer('usual', notes), wind: peer('usual', notes) }),
    { settings: { platform_toolsets: { terminal: ['file', 'wind'] } } },
  );

  await own.house.say('one');

  const names = toolsOf(own.house.server.requests[0]);
  assert.ok(names.includes('read_file') && names.includes('mcp_wind_echo'));
  assert.ok(!names.includes('mcp_sea_echo') && !names.includes('terminal'));
});

test('when the program ends, no server is left', async () => {
  const own = await openHouse(
    () => says('Yes.'),
    (notes) => ({ sea: peer('stubborn', notes), wind: peer('usual', notes) }),
  );
  await own.house.say('one');
  const pids = await starts(own.notes);

  await own.house.close();

  assert.equal(pids.length, 2);
  assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false]);
  await own[Symbol.asyncDispose]();
});

test('after kill -9 of the program neither a server that ignores every sign nor its children are left', async () => {
  await using folder = await makeTempFolder();
  await using model = await startModelServer([callsTool('mcp_sea_family', {})]);
  const [home, workdir] = [join(folder.path, 'home'), join(folder.path, 'work')];
  await mkdir(home, { mode: 0o700 });
  await mkdir(workdir);
  const servers = { sea: peer('stubborn', folder.path, { trust: true }) };
  const settings = { model: { provider: 'custom', base_url: `${model.origin}/v1`, default: 'scripted' } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ ...settings, mcp_servers: servers }));
  const program = join(import.meta.dirname, '..', 'support', 'house-child.ts');

  const child = spawn(process.execPath, [program, home, workdir, 'tool-ran', '0', 'go'], { stdio: 'ignore' });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];

  assert.equal(signal, 'SIGKILL');
  const family = await readFile(join(folder.path, 'family'), 'utf8');
  const pids = [...(await starts(folder.path)), Number(family)];
  assert.equal(pids.length, 2);
  for (const pid of pids) await whenGone(pid);
});
