import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeSettings } from '../../../src/store/home/change-settings.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const changes = [{ path: ['model'], values: { default: 'new', provider: 'openai', base_url: undefined } }];

async function changed(name: string, text: string): Promise<string> {
  await using folder = await makeTempFolder();
  const path = join(folder.path, name);
  writeFileSync(path, text);
  await changeSettings(path, changes);
  assert.deepEqual(readdirSync(folder.path).toSorted(), [name, `${name}.bak`]);
  assert.equal(readFileSync(`${path}.bak`, 'utf8'), text);
  assert.equal(statSync(`${path}.bak`).mode & 0o777, 0o600);
  return readFileSync(path, 'utf8');
}

const both = 'model:\n  default: new\n  provider: openai\n';

for (const [what, before, after] of [
  ['an empty file', '', both],
  ['a file of comments', '# mine\n', `# mine\n\n${both}`],
  ['an empty section', 'model:\n', both],
  [
    'keys among others',
    '# top\nmodel:\n  # why\n  default: old # since May\n  base_url: http://a/v1\n  cache_ttl: 1h\nagent:\n  max_turns: 5\n',
    '# top\nmodel:\n  # why\n  default: new\n  cache_ttl: 1h\n  provider: openai\nagent:\n  max_turns: 5\n',
  ],
  [
    'a section in one line',
    'model: {default: old, base_url: "http://a/v1"}\n',
    'model: { default: new, provider: openai }\n',
  ],
] as const) {
  test(`keys are changed in ${what}`, async () => {
    assert.equal(await changed('config.yaml', before), after);
  });
}

test('a section that refers to another one keeps what it said', async () => {
  const text = await changed('config.yaml', 'x: &base\n  default: old\n  cache_ttl: 1h\nmodel: *base\n');

  assert.match(text, /\nmodel:\n {2}default: new\n {2}cache_ttl: 1h\n {2}provider: openai\n$/);
});

test('a JSON file stays JSON, with its indentation', async () => {
  const before = '{\n    "model": {"default": "old", "base_url": "http://a/v1"},\n    "agent": {}\n}\n';

  const after = await changed('config.json', before);

  assert.equal(
    after,
    `${JSON.stringify({ model: { default: 'new', provider: 'openai' }, agent: {} }, undefined, 4)}\n`,
  );
});

test('a key that would still be read from afar is not taken for removed', async () => {
  await using folder = await makeTempFolder();
  const path = join(folder.path, 'config.yaml');
  const before = '%YAML 1.1\n---\nbase: &base\n  base_url: http://a/v1\nmodel:\n  <<: *base\n  default: old\n';
  writeFileSync(path, before);

  await assert.rejects(changeSettings(path, changes), { code: 'bad-config', message: /can only be changed by hand/ });

  assert.equal(readFileSync(path, 'utf8'), before);
});
