import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlobId, PersonId, SessionId } from '../../../src/base/ids.ts';
import { asWritten, renderSettings } from '../../../src/cli/config/show-config.ts';
import { renderList } from '../../../src/cli/sessions/list-sessions.ts';
import { renderMarkdown } from '../../../src/cli/sessions/markdown.ts';
import { renderHits } from '../../../src/cli/sessions/search-sessions.ts';
import type { SessionSummary } from '../../../src/cli/sessions/session-summary.ts';
import { checkConfig } from '../../../src/model/config.ts';
import { configJsonSchema } from '../../../src/model/config-schema.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { textPart } from '../../../src/model/message.ts';
import type { Session } from '../../../src/model/session.ts';
import { admitted, answered, call, done, logOf, owner, replied, settledCall } from '../support/log-entries.ts';

const hour = 3_600_000;
const summary: SessionSummary = {
  id: 'ses_1',
  title: 'Holiday plans',
  platform: 'terminal',
  workdir: '/work',
  createdAt: 0,
  activeAt: 0,
  isUnfinished: false,
};

test('a list of sessions stands in columns and is cut to the width', () => {
  const sessions = [summary, { ...summary, id: 'ses_2', title: '', activeAt: -2 * hour, isUnfinished: true }];

  assert.equal(
    renderList(sessions, 10 * hour, undefined),
    'ses_1  10 h  Holiday plans\nses_2  12 h  (unfinished) (no title)\n',
  );
  const [first, second] = sessions.map((each, place) => ({ ...each, id: `ses_01kamanyk0abcdefgh${place}` }));
  assert.ok(first && second);
  assert.equal(renderList([first, second], 10 * hour, 23), 'bcdefgh0  10 h  Holida…\nbcdefgh1  12 h  (unfin…\n');
});

test('a list of sessions says which are on Telegram or on the page, also where their titles are cut off', () => {
  const sessions = ['telegram', 'webchat', 'terminal'].map((platform) => ({ ...summary, platform }));

  assert.equal(
    renderList(sessions, hour, undefined),
    'ses_1  1 h  Holiday plans  (on Telegram)\nses_1  1 h  Holiday plans  (on the page)\nses_1  1 h  Holiday plans\n',
  );
  assert.equal(renderList(sessions.slice(0, 1), hour, 33), 'ses_1  1 h  Holid…  (on Telegram)\n');
});

test('a hit is one line with the session it is in', () => {
  const hit = {
    sessionId: 'ses_1' as SessionId,
    turnId: 'trn_1',
    seq: 1,
    at: 0,
    author: 'user',
    snippet: 'a «word»\nin \u001b[1mtwo lines',
  };

  assert.equal(
    renderHits([hit as Parameters<typeof renderHits>[0][number]], 2 * hour, 'whole'),
    'ses_1  2 h  user: a «word» ⏎ in ␛[1mtwo lines\n',
  );
});

const session: Session = {
  id: 'ses_1' as SessionId,
  address: { platform: 'terminal', account: 'local', chat: 'c', thread: '' },
  person: 'owner' as PersonId,
  title: '',
  workdir: '/work',
  createdAt: 0,
  activeAt: 0,
  settings: {},
};

test('what was typed into a page stands in an exported document by its length', () => {
  const typing = { ...call('c1', ''), name: 'browser', arguments: '{"action":"type","ref":"e5","text":"hunter2"}' };
  const entries = logOf([answered('', [typing]), settledCall('c1', done('[typed into e5]'))]);

  const text = renderMarkdown(session, entries, {});

  assert.match(text, /### browser \{"action":"type","ref":"e5","text":"\(7 characters\)"\}/);
});
const head = '# Session ses_1\n\n- session: ses_1\n- folder: /work\n- begun: 1970-01-01T00:00:00.000Z\n\n';

test('a document has what was said and every outcome whole, kept apart or not', () => {
  const list = call('c1', 'ls');
  const kept = { type: 'blob', blob: 'b1' as BlobId, mediaType: 'text/plain', characters: 9 } as const;
  const log = logOf([
    admitted('hello'),
    answered('Look.', [list]),
    settledCall('c1', { type: 'done', parts: [textPart('head'), kept, textPart('tail')] }),
    answered('Bye.'),
    replied('Bye.'),
  ]);

  assert.equal(
    renderMarkdown(session, log, { b1: 'all of it' }),
    `${head}## You\n\nhello\n\n## Talaria\n\nLook.\n\n### terminal {"command":"ls"}\n\n\`\`\`\nall of it\n\`\`\`\n\n## Talaria\n\nBye.\n`,
  );
});

test('an output with fences in it cannot end its own', () => {
  const log = logOf([answered('', [call('c1', 'cat')]), settledCall('c1', done('```\nx\n````'))]);

  assert.equal(
    renderMarkdown(session, log, {}),
    `${head}### terminal {"command":"cat"}\n\n\`\`\`\`\`\n\`\`\`\nx\n\`\`\`\`\n\`\`\`\`\`\n`,
  );
});

test('a document says how a turn ended that was not answered', () => {
  const log = logOf([admitted('hello'), { type: 'turn.settled', result: { type: 'interrupted', by: owner } }]);

  assert.equal(renderMarkdown(session, log, {}), `${head}## You\n\nhello\n\n*Stopped.*\n`);
});

test('a document has a reply that the program made itself', () => {
  const text = 'Shortened: about 9,000 → 2,000 tokens.';
  const result = { type: 'replied', text, ending: 'complete' } as const;
  const log = logOf([admitted('/compact'), { type: 'turn.settled', result }]);

  assert.equal(renderMarkdown(session, log, {}), `${head}## You\n\n/compact\n\n## Talaria\n\n${text}\n`);
});

test('settings are shown as the file would say them, with what is not set as a comment', () => {
  const checked = checkConfig({ model: { default: 'gpt' }, agent: { disabled_toolsets: ['file'] } });
  assert.ok(checked.type === 'valid');

  const shown = renderSettings(asWritten(checked.config));

  assert.ok(shown.startsWith('model:\n  default: "gpt"\n  # provider: not set\n  # base_url: not set\n'), shown);
  assert.match(shown, /^fallback: \[\]$/m);
  assert.match(shown, /^prices: \{\}$/m);
  assert.match(shown, /^agent:\n  max_turns: 90\n/m);
  assert.match(shown, /^  disabled_toolsets: \["file"\]$/m);
});

test('every setting that the file can say is shown', () => {
  const checked = checkConfig({});
  assert.ok(checked.type === 'valid');

  const shown = asWritten(checked.config) as JsonObject;

  const known = configJsonSchema['properties'] as Readonly<Record<string, JsonObject>>;
  assert.deepEqual(Object.keys(shown), Object.keys(known));
  for (const [section, { properties }] of Object.entries(known)) {
    if (properties === undefined) continue;
    assert.deepEqual(Object.keys(shown[section] as JsonObject), Object.keys(properties as JsonObject), section);
  }
});

test('the keys that an MCP server is given are not shown', () => {
  const files = { command: 'npx', env: { TOKEN: 'tok-12345678' } };
  const tides = { url: 'https://tides.example/mcp', headers: { Authorization: 'Bearer tok-12345678' } };
  const checked = checkConfig({ mcp_servers: { files, tides } });
  assert.ok(checked.type === 'valid');

  const shown = renderSettings(asWritten(checked.config));

  assert.ok(!shown.includes('tok-12345678'), shown);
  assert.match(shown, /TOKEN/);
});
