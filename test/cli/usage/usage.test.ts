import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json.ts';
import { dayOf } from '../../../src/gateway/usage-report.ts';
import { says } from '../../support/model-script.ts';
import type { AnswerOptions } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

function took(read: number, cached: number, output: number): AnswerOptions {
  const details = { prompt_tokens_details: { cached_tokens: cached } };
  return { usage: { prompt_tokens: read, completion_tokens: output, total_tokens: read + output, ...details } };
}

const prices: JsonObject = { 'custom:cheap': { input: 1, output: 2, cache_read: 0.1 } };

/** Two sessions, one of them with a model that has no price. */
async function openUsedDesk(): Promise<Desk> {
  const desk = await openDesk([
    says('Penguins.', took(12_000, 0, 500)),
    says('More.', took(12_500, 12_000, 100)),
    says('Otters.', took(3000, 0, 50)),
  ]);
  const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'cheap' };
  await desk.setConfig({ model, prices });
  await desk.run(['chat'], { input: 'penguins\ngo on\n' });
  await desk.run(['run', '-m', 'custom:dear', 'otters']);
  return desk;
}

test('usage by model adds up tokens and money, and a missing price is never a low one', async () => {
  await using desk = await openUsedDesk();

  const { stdout, stderr, code } = await desk.run(['usage', '--by', 'model']);

  assert.equal(code, 0);
  assert.equal(stderr, '');
  assert.deepEqual(stdout.split('\n'), [
    'model         calls  fresh  cached  written  output  from cache  cost',
    'custom:dear       1   3.0k       0        0      50         0 %  unknown',
    'custom:cheap      2  12.5k   12.0k        0     600        48 %  $0.0149',
    'total             3  15.5k   12.0k        0     650        43 %  ≥ $0.0149 (1 call of unknown cost)',
    'What custom:dear cost is not known: name every price under `prices` in the settings.',
    '',
  ]);
});

test('usage is by day unless told otherwise, and by session with its title', async () => {
  await using desk = await openUsedDesk();

  const byDay = await desk.run(['usage']);
  const bySession = await desk.run(['usage', '--by', 'session', '--days', '1']);

  assert.match(byDay.stdout, new RegExp(`^day .*\\n${dayOf(Date.now())} +3 .* unknown\\ntotal `));
  assert.match(bySession.stdout, /\nses_\w{20} otters +1 .* unknown\nses_\w{20} penguins +2 .* \$0\.0149\n/);
});

test('usage for programs has exact numbers, and null for what is not known', async () => {
  await using desk = await openUsedDesk();

  const { stdout } = await desk.run(['usage', '--by', 'model', '--json']);

  const { rows, total } = JSON.parse(stdout) as { readonly rows: readonly JsonObject[]; readonly total: JsonObject };
  assert.deepEqual(rows[1], {
    model: 'custom:cheap',
    calls: 2,
    fresh: 12_500,
    cacheRead: 12_000,
    cacheWrite: 0,
    output: 600,
    reasoning: 0,
    usd: 0.0149,
    knownUsd: 0.0149,
    unpricedCalls: 0,
    uncountedCalls: 0,
  });
  assert.deepEqual([total['usd'], total['knownUsd'], total['unpricedCalls']], [null, 0.0149, 1]);
});

test('what a deleted session took still counts', async () => {
  await using desk = await openUsedDesk();
  const { stdout } = await desk.run(['sessions', '--json']);
  const { sessions } = JSON.parse(stdout) as { readonly sessions: readonly { readonly id: string }[] };
  await desk.run(['sessions', 'delete', '-y', ...sessions.map(({ id }) => id)]);

  const usage = await desk.run(['usage', '--by', 'session']);

  assert.match(usage.stdout, /\n\(deleted\) +3 .*\ntotal +3 /);
});

test('usage why explains the last turn of the last session, or of the one that is named', async () => {
  await using desk = await openUsedDesk();
  const { stdout } = await desk.run(['sessions', '--json']);
  const { sessions } = JSON.parse(stdout) as { readonly sessions: readonly { readonly id: string }[] };

  const last = await desk.run(['usage', 'why']);
  const named = await desk.run(['usage', 'why', sessions[1]?.id ?? '', '--json']);
  const unknown = await desk.run(['usage', 'why', 'ses_zzz']);

  assert.match(last.stdout, /^The last turn: unknown for 1 call.*\n.*\n1\. .*first request to custom:dear/);
  const { reasons, calls } = JSON.parse(named.stdout) as {
    readonly reasons: readonly { readonly text: string }[];
    readonly calls: readonly JsonObject[];
  };
  assert.match(reasons[0]?.text ?? '', /12\.0k tokens were read from the cache/);
  assert.deepEqual(
    calls.map((call) => ({ ...call, at: 'then' })),
    [
      {
        at: 'then',
        runtime: 'custom:cheap',
        purpose: 'answer',
        outcome: 'answered',
        fresh: 500,
        cacheRead: 12_000,
        cacheWrite: 0,
        output: 100,
        reasoning: 0,
        change: null,
        usd: 0.0019,
      },
    ],
  );
  assert.equal(unknown.code, 1);
});

test('usage of a home where no model was asked says so, and a wrong period is refused', async () => {
  await using desk = await openDesk();

  const empty = await desk.run(['usage', '--since', '2026-01-31']);
  const problems: string[] = [];
  for (const args of [
    ['--days', '0'],
    ['--since', '2026-02-30'],
    ['--by', 'week'],
    ['--days', '1', '--since', '2026-01-01'],
  ]) {
    const { stderr, code } = await desk.run(['usage', ...args]);
    assert.equal(code, 2);
    problems.push(stderr.split('\n')[0] ?? '');
  }

  assert.deepEqual([empty.code, empty.stdout, empty.stderr], [0, '', 'No model was asked since 2026-01-31.\n']);
  assert.deepEqual(problems, [
    'talaria: --days needs a number from 1, not "0"',
    'talaria: --since needs a day such as 2026-01-31, not "2026-02-30"',
    'talaria: --by needs one of day, model, session, not "week"',
    'talaria: choose either --days or --since',
  ]);
});
