import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from 'grammy/types';
import { isJsonObject } from '../../../src/base/json.ts';
import type { Json } from '../../../src/base/json.ts';
import { filesBelow, lookUntil, openHandles, processesOf } from '../../support/left-behind.ts';
import type { SeenProcess } from '../../support/left-behind.ts';
import { callsTool, says } from '../../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../../support/model-script.ts';
import { openSite } from '../../support/site.ts';
import type { Site } from '../../support/site.ts';
import { botToken } from '../../support/telegram-server.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { peer } from '../../tools/mcp/open-servers.ts';
import type { Started } from '../support/program.ts';
import { openGatewayDesk } from './gateway-desk.ts';
import type { GatewayDesk } from './gateway-desk.ts';

// Behind what is not all of an answer yet.
const cursor = ' ▉';

const people: readonly User[] = [1, 2, 3].map((number) => ({
  id: 7000 + number,
  is_bot: false,
  first_name: `P${number}`,
}));

type Call = (last: string, site: Site) => ModelStep;

const idIn = (text: string): string => /proc_[0-9a-f]+/.exec(text)?.[0] ?? 'none';
const refIn = (text: string): string => /link "more" \[ref=(\w+)\]/.exec(text)?.[1] ?? 'none';
const terminal = (command: string, more: { readonly pty?: true; readonly background?: true } = {}): ModelStep =>
  callsTool('terminal', { command, ...more });

/** What is done in a turn, call by call; each knows what the last one came to. */
const works: readonly (readonly Call[])[] = [
  [
    (_, site) => callsTool('browser', { action: 'open', url: site.url() }),
    (last) => callsTool('browser', { action: 'click', ref: refIn(last) }),
    () => callsTool('browser', { action: 'screenshot' }),
  ],
  [
    () => callsTool('write_file', { path: 'notes/today.txt', content: 'one\ntwo\n' }),
    () => callsTool('patch', { path: 'notes/today.txt', old_string: 'two', new_string: 'three' }),
    () => callsTool('search_files', { pattern: 'three', path: 'notes' }),
    () => callsTool('mcp_sea_echo', { text: 'ahoy' }),
  ],
  [
    () => terminal('while :; do echo tick; sleep 0.1; done', { background: true }),
    (last) => callsTool('process', { action: 'read', id: idIn(last) }),
    () => terminal('cat', { background: true, pty: true }),
    (last) => callsTool('process', { action: 'write', id: idIn(last), text: 'hello\n' }),
    () => terminal('echo soon over', { background: true }),
    (last) => callsTool('process', { action: 'wait', id: idIn(last) }),
  ],
  [
    () => terminal('sleep 900 & setsid sleep 900 > /dev/null 2>&1 & mktemp -d > /dev/null; echo left'),
    () => terminal('cd notes; export WHERE=here; seq 1 200000'),
    () => terminal('rm -rf "$TMPDIR"/tmp.*; echo "$WHERE"'),
  ],
  [
    (_, site) => callsTool('web_fetch', { url: site.url() }),
    () => callsTool('todo', { todos: [{ id: '1', content: 'nothing', status: 'pending' }] }),
    (_, site) => callsTool('browser', { action: 'open', url: site.url('/more') }),
    () => terminal('echo last'),
  ],
];

/** What is there while everybody has begun anew and nobody has anything running. */
interface Rest {
  readonly tasks: readonly string[];
  readonly processes: readonly SeenProcess[];
  readonly handles: readonly string[];
}

export interface LifeReport {
  readonly turns: number;
  readonly rests: readonly { readonly processes: number; readonly handles: number }[];
}

/**
 * So many turns with a browser, shells, background processes, an MCP server and files, in three chats whose agents push each
 * other out, with new sessions after each round, an orderly restart, and a kill with everything running. Fails where
 * something is left that the first round did not have, and where anything is left in the end.
 */
export async function liveThrough(turns: number): Promise<LifeReport> {
  await using folder = await makeTempFolder();
  await using site = await openSite({
    '/': '<title>Home</title><a href="/more">more</a>',
    '/more': '<title>More</title><p>more</p>',
  });
  await using bench = await openGatewayDesk(
    (request) => answer(request, site),
    people.map(({ id }) => id),
    {
      browser: { allow_private: site.host },
      search: { allow_private: site.host },
      agent_cache: { max_agents: 1 },
      mcp_servers: { sea: peer('usual', folder.path, { trust: true }) },
    },
  );
  const life = new Life(bench, join(folder.path, 'tmp'));
  await mkdir(life.tmp);
  const rounds = Math.ceil(turns / works.length);
  const state = await life.keepsByItself();
  await life.run(Math.ceil(rounds / 2), 'orderly');
  await life.run(Math.floor(rounds / 2), 'killed');
  await life.checkNothingIsLeft(state);
  const rests = life.rests.map(({ processes, handles }) => ({ processes: processes.length, handles: handles.length }));
  return { turns: life.turns, rests };
}

const request = /^turn (\d+): work (\d+)/;

function answer({ json }: SeenRequest, site: Site): ModelStep {
  const messages = (Array.isArray(json?.['messages']) ? json['messages'] : []) as readonly Json[];
  // Behind a screenshot stands a message of the program with the picture, which is a user's as well.
  const asked = messages.findLastIndex((message) => request.test(textOf(message)));
  const [, turn = '', work = ''] = request.exec(textOf(messages[asked])) ?? [];
  const results = messages.slice(asked + 1).filter((message) => isJsonObject(message) && message['role'] === 'tool');
  const failure = results.map(textOf).find((text) => /^(?:ERROR|REFUSED)/.test(text));
  if (failure !== undefined) return says(`turn ${turn} failed: ${failure}`);
  const call = works[Number(work)]?.[results.length];
  return call === undefined ? says(`turn ${turn} is done`) : call(textOf(results.at(-1)), site);
}

function textOf(message: Json | undefined): string {
  const content = isJsonObject(message) ? message['content'] : undefined;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

class Life {
  turns = 0;
  readonly rests: Rest[] = [];
  readonly tmp: string;
  readonly #bench: GatewayDesk;

  constructor(bench: GatewayDesk, tmp: string) {
    this.#bench = bench;
    this.tmp = tmp;
  }

  /** What the program keeps of its own accord, without anybody having said a word. */
  async keepsByItself(): Promise<readonly string[]> {
    await this.#end(await this.#start());
    return await filesBelow(this.#pathOf('state'));
  }

  /** One start of the program: rounds of turns, after each of which nobody has anything running. */
  async run(rounds: number, end: 'orderly' | 'killed'): Promise<void> {
    const gateway = await this.#start();
    let first: Rest | undefined;
    // Killed with all of it running, it has a last round: the next start is to find that, and end it.
    const last = rounds - (end === 'killed' ? 2 : 1);
    for (let round = 0; round < rounds; round += 1) {
      await this.#work();
      if (round > last) break;
      await this.#beginAnew();
      if (round === 0 || round === last) first = await this.#checkRest(gateway, first);
    }
    await this.#end(gateway, end === 'killed' ? 'SIGKILL' : 'SIGTERM');
  }

  async checkNothingIsLeft(state: readonly string[]): Promise<void> {
    const gateway = await this.#start();
    await this.#beginAnew();
    await this.#end(gateway);

    const left = await lookUntil(
      () => this.#processes(),
      (processes) => processes.length === 0,
    );
    assert.deepEqual(left, []);
    assert.deepEqual(await filesBelow(this.tmp), []);
    assert.deepEqual(await filesBelow(this.#pathOf('tasks')), []);
    assert.deepEqual(await filesBelow(this.#pathOf('state')), [...state, 'live-messages.json'].toSorted());
    // Nothing stands in a chat that would have to be taken off.
    assert.equal(await readFile(join(this.#pathOf('state'), 'live-messages.json'), 'utf8'), '[]\n');
  }

  async #start(): Promise<Started> {
    const env = { TELEGRAM_BOT_TOKEN: botToken, TMPDIR: this.tmp };
    const started = this.#bench.desk.start(['gateway'], { env, longestMs: 3_600_000 });
    await started.prints(/Serving telegram with/);
    return started;
  }

  async #end({ child, ended }: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    child.kill(signal);
    await ended;
  }

  async #work(): Promise<void> {
    for (const work of works.keys()) {
      const from = people[this.turns % people.length];
      assert.ok(from !== undefined);
      this.turns += 1;
      await this.#say(from, '/yolo on', 'From now on nothing is asked');
      const said = await this.#say(from, `turn ${this.turns}: work ${work}`, `turn ${this.turns} `);
      assert.equal(said, `turn ${this.turns} is done`);
    }
  }

  /** Says something and waits for the answer that begins like this. */
  async #say(from: User, text: string, beginning: string): Promise<string> {
    const { telegram } = this.#bench;
    const before = telegram.shown(from.id).length;
    telegram.say(text, { from });
    const find = (texts: readonly string[]): string | undefined =>
      texts.slice(before).find((shown) => shown.startsWith(beginning) && !shown.endsWith(cursor));
    return find(await telegram.whenShown(from.id, (texts) => find(texts) !== undefined)) ?? '';
  }

  async #beginAnew(): Promise<void> {
    for (const from of people) await this.#say(from, '/new', 'A new session');
  }

  /** When everybody has begun anew, there is no more than there was the first time. */
  async #checkRest({ child: { pid = 0 } }: Started, first: Rest | undefined): Promise<Rest> {
    const rest = await lookUntil(
      async () => ({
        tasks: await filesBelow(this.#pathOf('tasks')),
        processes: await this.#processes(),
        handles: await openHandles(pid),
      }),
      (seen) => isAtRest(seen) && (first === undefined || exceeds(seen, first).length === 0),
    );
    assert.ok(isAtRest(rest), JSON.stringify(rest, undefined, 1));
    if (first !== undefined) assert.deepEqual(exceeds(rest, first), [], JSON.stringify({ first, rest }, undefined, 1));
    this.rests.push(rest);
    return first ?? rest;
  }

  async #processes(): Promise<readonly SeenProcess[]> {
    return await processesOf(`TMPDIR=${this.tmp}`, this.tmp);
  }

  #pathOf(name: string): string {
    return join(this.#bench.desk.home, name);
  }
}

/** Whether nothing of any session is left. A shell that waits for the next command belongs to none. */
function isAtRest({ tasks, processes }: Rest): boolean {
  return (
    tasks.every((name) => !name.startsWith('ses_') && !name.startsWith('browser/')) &&
    processes.every(({ environment }) => environment.every((entry) => !entry.startsWith('TALARIA_SESSION=')))
  );
}

function exceeds(seen: Rest, first: Rest): readonly string[] {
  return (['processes', 'handles'] as const).filter((what) => seen[what].length > first[what].length);
}
