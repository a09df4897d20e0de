import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { noBrowser } from '../support/browser.ts';
import { startWebSite } from '../support/web-site.ts';
import { describeToolConformance } from './conformance.ts';
import type { ToolSamples } from './conformance.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

const site = await startWebSite({
  '/': '<p>A page.',
  '/silent': () => undefined,
  '/search': ({ path }, response) => {
    if (!path.includes('endless')) response.end('{"results":[{"url":"https://a.example/","title":"A page"}]}');
  },
});
after(() => site[Symbol.asyncDispose]());

async function open(): Promise<ToolBench> {
  const search = { baseUrl: site.origin, allowPrivate: [site.host] };
  const bench = await openToolBench({ search, credentials: ['hunter2-hunter2'] });
  await mkdir(join(bench.workdir, 'folder'));
  await writeFile(join(bench.workdir, 'note.txt'), 'one\ntwo\n');
  await symlink('loop', join(bench.workdir, 'loop'));
  await symlink('nowhere/at/all', join(bench.workdir, 'dangling'));
  return bench;
}

const samples: Readonly<Record<string, ToolSamples>> = {
  terminal: {
    works: { command: 'echo made > made.txt' },
    impossible: [{ command: 'true\0' }, { command: 'true', workdir: 'missing' }, { command: 'true', timeout: 0 }],
    endless: { command: 'echo begun; tail -f /dev/null' },
  },
  process: {
    works: { action: 'list' },
    impossible: [
      { action: 'read' },
      { action: 'read', id: 'proc_00000000' },
      { action: 'kill', id: '../shell' },
      { action: 'write', id: 'proc_00000000', text: '' },
      { action: 'wait', id: 'proc_00000000', timeout: 0 },
    ],
    endless: undefined,
  },
  read_file: {
    works: { path: 'note.txt' },
    impossible: [
      { path: 'missing.txt' },
      { path: 'folder' },
      { path: 'note.txt/below' },
      { path: 'loop' },
      { path: 'blob:none' },
      { path: '\0' },
    ],
    endless: undefined,
  },
  write_file: {
    works: { path: 'folder/made.txt', content: 'made\n' },
    impossible: [
      { path: 'folder', content: 'x' },
      { path: 'note.txt/below', content: 'x' },
      { path: 'loop', content: 'x' },
      { path: 'a\0b', content: 'x' },
    ],
    endless: undefined,
  },
  patch: {
    works: { path: 'note.txt', old_string: 'two', new_string: 'three, which was not there before' },
    impossible: [
      { path: 'missing.txt', old_string: 'two', new_string: 'three' },
      { path: 'note.txt', old_string: 'nine', new_string: 'three' },
      { path: 'folder', old_string: 'two', new_string: 'three' },
      { path: 'a\0b', old_string: 'two', new_string: 'three' },
    ],
    endless: undefined,
  },
  search_files: {
    works: { pattern: 'tw.' },
    impossible: [{ pattern: 'two', path: 'missing' }, { pattern: '(' }, { pattern: 'two', path: 'a\0b' }],
    endless: undefined,
  },
  web_fetch: {
    works: { url: `${site.origin}/` },
    impossible: [
      { url: 'note.txt' },
      { url: 'file:///etc/passwd' },
      { url: 'http://169.254.169.254/' },
      { url: `${site.origin}/missing` },
      { url: 'https://nowhere.example/' },
      { url: `${site.origin}/?k=hunter2-hunter2` },
      { url: `https://a.example/${'x'.repeat(9000)}` },
    ],
    endless: { url: `${site.origin}/silent` },
  },
  web_search: {
    works: { query: 'herons' },
    impossible: [{ query: 'x'.repeat(3000) }, { query: 'hunter2-hunter2' }],
    endless: { query: 'endless' },
  },
  browser: {
    works: { action: 'open', url: 'about:blank' },
    impossible: [
      { action: 'open' },
      { action: 'open', url: 'file:///etc/passwd' },
      { action: 'open', url: 'http://127.0.0.1:9/' },
      { action: 'snapshot' },
      { action: 'click', ref: 'e1' },
    ],
    endless: undefined,
  },
  todo: {
    works: { todos: [{ id: 'a', content: 'begin' }] },
    impossible: [{ todos: [{ id: 'a' }] }, { todos: [{ id: 'a', content: 'x'.repeat(4001) }] }],
    endless: undefined,
  },
  clarify: {
    works: { question: 'Which one?', choices: ['this', 'that'] },
    impossible: [{ question: ' ' }, { question: 'Which?', choices: ['1', '2', '3', '4', '5'] }],
    endless: undefined,
  },
  send_message: {
    works: { text: 'hello' },
    impossible: [
      { text: ' ' },
      { text: 'x'.repeat(4000) },
      { text: 'hello', to: 'telegram:7' },
      { text: 'hello', file: 'missing' },
      { text: 'hello', file: 'folder' },
      { text: 'hello', file: 'a\0b' },
    ],
    endless: undefined,
  },
};

for (const [name, of] of Object.entries(samples)) {
  // Its tests would all be about its absence.
  if (name === 'browser' && noBrowser !== false) continue;
  describeToolConformance({ name, samples: of, open });
}

test('every tool that the model is given is held to the port', async () => {
  await using bench = await open();

  assert.deepEqual([...bench.toolbox.tools.keys()], Object.keys(samples));
});
