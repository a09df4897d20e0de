import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { median } from '../measure.ts';
import type { Product } from '../product.ts';
import { nameChats, putLoad } from './load.ts';
import type { LoadReport } from './load.ts';
import { startBareAgent, startGateway, startIdleServer, startModel } from './servers.ts';
import type { ChatServer } from './servers.ts';

const rounds = 3;
/** How many sessions talk at once, and how many messages each sends in a round. */
const crowds = [
  { sessions: 1, messages: 150 },
  { sessions: 16, messages: 40 },
  { sessions: 200, messages: 5 },
] as const;
// Half of them are the answers.
const messagesKept = 50;
const idleMs = 2000;

/**
 * The gateway under load, over HTTP and against a model that answers at once; load and model are processes of their own.
 * The floor is an agent of a hundred lines that keeps nothing.
 */
export async function measureGateway(product: Product, sessionsKept: number): Promise<readonly Figure[]> {
  await using model = startModel();
  const baseUrl = await model.firstLine;
  return [
    await measureIdle(product, baseUrl),
    ...(await measureLoads(product, baseUrl)),
    await measureSessions(product, baseUrl, sessionsKept),
  ];
}

async function measureIdle(product: Product, baseUrl: string): Promise<Figure> {
  const floors: number[] = [];
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await weighIdle(await startIdleServer(product)));
    values.push(await weighIdle(await startGateway(product, baseUrl)));
  }
  return {
    name: 'idle memory of the gateway',
    value: median(values),
    unit: 'MB',
    floor: { name: 'a bare HTTP server with an open database', value: median(floors) },
    bar: { type: 'times-floor', most: 1.5 },
  };
}

async function weighIdle(started: ChatServer): Promise<number> {
  await using server = started;
  await sleep(idleMs);
  return (await server.process.ask('as-it-is')).megabytes;
}

/** Gateway and bare agent take turns, so that what else the machine does falls on both alike. */
async function measureLoads(product: Product, baseUrl: string): Promise<readonly Figure[]> {
  await using gateway = await startGateway(product, baseUrl);
  await using bare = await startBareAgent(product, baseUrl);
  const commits = await countCommits(product, baseUrl);
  const commitTimes: number[] = [];
  const delays: number[] = [];
  const reports = crowds.map((crowd) => ({ crowd, ours: [] as LoadReport[], floors: [] as LoadReport[] }));
  for (let round = 0; round < rounds; round += 1) {
    commitTimes.push(timeCommit(product));
    for (const { crowd, ours, floors } of reports) {
      floors.push(await crowdIn(bare, crowd, round));
      await gateway.process.ask('as-it-is');
      ours.push(await crowdIn(gateway, crowd, round));
      delays.push((await gateway.process.ask('as-it-is')).loopDelayMs);
    }
  }
  const [alone] = reports as [(typeof reports)[number], ...typeof reports];
  return [
    ...reports.map(rateFigure),
    ...timeFigures(alone.ours, alone.floors, { commits, commitMs: median(commitTimes) }),
    {
      name: 'event-loop delay under load, p99',
      value: Math.max(...delays),
      unit: 'ms',
      floor: undefined,
      bar: { type: 'limit', most: 25 },
    },
  ];
}

interface Crowd {
  readonly sessions: number;
  readonly messages: number;
}

async function crowdIn(server: ChatServer, { sessions, messages }: Crowd, round: number): Promise<LoadReport> {
  const { origin, token } = server;
  const chats = nameChats(`crowd-${sessions}-${round}`, sessions);
  return await putLoad({ origin, token, chats, atOnce: sessions, warmUp: 2, rounds: messages });
}

function rateFigure({ crowd, ours, floors }: CrowdReports): Figure {
  return {
    name: `durable turns, ${crowd.sessions} ${crowd.sessions === 1 ? 'session' : 'sessions'}`,
    value: rateOf(ours),
    unit: 'a second',
    floor: { name: 'a bare agent, not durable', value: rateOf(floors) },
    bar: crowd.sessions === 16 ? { type: 'at-least', least: 600 } : { type: 'none' },
  };
}

function rateOf(reports: readonly LoadReport[]): number {
  return median(reports.map(({ seconds, times }) => times.length / seconds));
}

/** The time that such a share of the messages stayed under. */
function timeAt(share: number, reports: readonly LoadReport[]): number {
  const sorted = reports.map(({ times }) => times.toSorted((left, right) => left - right));
  return median(sorted.map((times) => times[Math.floor(times.length * share)] ?? 0));
}

interface CrowdReports {
  readonly crowd: Crowd;
  readonly ours: readonly LoadReport[];
  readonly floors: readonly LoadReport[];
}

interface Commits {
  /** How many commits a turn waits for. */
  readonly commits: number;
  /** What a bare one takes. */
  readonly commitMs: number;
}

function timeFigures(
  ours: readonly LoadReport[],
  floors: readonly LoadReport[],
  { commits, commitMs }: Commits,
): readonly Figure[] {
  const floor = (share: number): Figure['floor'] => ({
    name: 'a bare agent, not durable',
    value: timeAt(share, floors),
  });
  const allowed = `3 ms + ${commits.toFixed(1)} commits of ${commitMs.toFixed(2)} ms`;
  return [
    {
      name: `message to answer, p50 (bar: ${allowed})`,
      value: timeAt(0.5, ours),
      unit: 'ms',
      floor: floor(0.5),
      bar: { type: 'limit', most: 3 + commits * commitMs },
    },
    {
      name: 'message to answer, p99',
      value: timeAt(0.99, ours),
      unit: 'ms',
      floor: floor(0.99),
      bar: { type: 'none' },
    },
  ];
}

/** In a gateway of its own, since counting takes time. */
async function countCommits(product: Product, baseUrl: string): Promise<number> {
  await using gateway = await startGateway(product, baseUrl, { COUNT_COMMITS: '1' });
  const turns = 20;
  await crowdIn(gateway, { sessions: 1, messages: 1 }, 0);
  await gateway.process.ask('as-it-is');
  const { origin, token } = gateway;
  await putLoad({ origin, token, chats: ['crowd-1-0-0'], atOnce: 1, warmUp: 0, rounds: turns });
  return (await gateway.process.ask('as-it-is')).commits / turns;
}

function timeCommit(product: Product): number {
  using database = new DatabaseSync(join(product.bareFolder, 'commits.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS rows (text TEXT)');
  const insert = database.prepare('INSERT INTO rows VALUES (?)');
  const text = 'durable '.repeat(128);
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now();
    insert.run(text);
    return performance.now() - start;
  });
  return median(times);
}

/** What stays in memory of sessions that have been talked to, beside a process that was talked to once. */
async function measureSessions(product: Product, baseUrl: string, count: number): Promise<Figure> {
  const kept = `${count.toLocaleString('en-US')} sessions of ${messagesKept} messages`;
  return {
    name: `memory a session, after ${kept}`,
    value: await weighSessions(await startGateway(product, baseUrl), count),
    unit: 'KB',
    floor: {
      name: 'a bare agent, not durable',
      value: await weighSessions(await startBareAgent(product, baseUrl), count),
    },
    bar: { type: 'limit', most: 80 },
  };
}

async function weighSessions(started: ChatServer, count: number): Promise<number> {
  await using server = started;
  const { origin, token } = server;
  const load = { origin, token, atOnce: 16, warmUp: 0, rounds: messagesKept / 2 };
  await putLoad({ ...load, chats: nameChats('first', 16) });
  const before = (await server.process.ask('tidy')).megabytes;
  await putLoad({ ...load, chats: nameChats('kept', count) });
  const after = (await server.process.ask('tidy')).megabytes;
  return ((after - before) * 1024) / count;
}
