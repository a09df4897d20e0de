import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../../src/base/json.ts';
import type { Json } from '../../../src/base/json.ts';
import { openServers, published } from './open-servers.ts';

test('the server "everything" echoes, sums, sends structures, resources and an image, and shows its progress', async () => {
  await using bench = await openServers(() => ({ all: published('everything') }));
  await bench.servers.prepare();
  const progress: string[] = [];

  const sum = await bench.run('mcp_all_get_sum', { a: 19, b: 23 });
  const structure = await bench.run('mcp_all_get_structured_content', { location: 'New York' });
  const image = await bench.run('mcp_all_get_tiny_image', {});
  const links = await bench.run('mcp_all_get_resource_links', { count: 2 });
  const resource = await bench.run('mcp_all_get_resource_reference', { resourceType: 'Text', resourceId: 1 });
  await bench.run(
    'mcp_all_trigger_long_running_operation',
    { duration: 0.2, steps: 4 },
    { progress: (line) => progress.push(line) },
  );

  assert.match(sum, /\b42\b/);
  assert.match(structure, /"temperature"/);
  assert.match(links, /\[a resource: .*demo:\/\/resource/);
  assert.match(resource, /\[the resource demo:\/\/resource[^\]]*\]\n\S/);
  assert.ok(progress.includes('1 of 4'));
  const path = /kept as (\S+\.png)\]/.exec(image)?.[1] ?? '';
  assert.deepEqual([...(await readFile(path)).subarray(1, 4)], [...Buffer.from('PNG')]);
});

test('the server "filesystem" reads and writes in its folder, and refuses what is outside of it', async () => {
  await using bench = await openServers((folder) => ({ files: published('filesystem', [folder]) }));
  await bench.servers.prepare();
  await writeFile(join(bench.folder, 'tide.txt'), 'low at noon');

  const read = await bench.run('mcp_files_read_text_file', { path: join(bench.folder, 'tide.txt') });
  await bench.run('mcp_files_write_file', { path: join(bench.folder, 'new.txt'), content: 'high at six' });
  const refused = await bench.run('mcp_files_read_text_file', { path: '/etc/passwd' });

  assert.match(read, /\nlow at noon\n/);
  assert.equal(await readFile(join(bench.folder, 'new.txt'), 'utf8'), 'high at six');
  assert.match(refused, /^ERROR: [^]*Access denied/);
});

test('the server "memory" keeps what it is told, over a reload, too', async () => {
  await using bench = await openServers((folder) => ({
    notes: published('memory', [], { env: { MEMORY_FILE_PATH: join(folder, 'memory.json') }, trust: true }),
  }));
  await bench.servers.prepare();
  const entities = [{ name: 'Skye', entityType: 'island', observations: ['has a bridge'] }];

  await bench.run('mcp_notes_create_entities', { entities });
  await bench.servers.reload();
  const found = await bench.run('mcp_notes_search_nodes', { query: 'bridge' });

  assert.match(found, /Skye/);
});

test('the server "sequential-thinking" takes a thought, and says what is wrong with half of one', async () => {
  await using bench = await openServers(() => ({ think: published('sequential-thinking') }));
  await bench.servers.prepare();
  const thought = { thought: 'look first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };

  const taken = await bench.run('mcp_think_sequentialthinking', thought);
  const half = await bench.run('mcp_think_sequentialthinking', { ...thought, thoughtNumber: 'first' });

  assert.match(taken, /"thoughtHistoryLength": ?1/);
  assert.match(half, /^ERROR: [^]*thoughtNumber/);
});

test('the schemas of published servers come to what strict vendors take', async () => {
  await using bench = await openServers((folder) => ({
    all: published('everything'),
    files: published('filesystem', [folder]),
    notes: published('memory'),
    think: published('sequential-thinking'),
  }));
  await bench.servers.prepare();

  const tools = [...bench.registry.tools.values()];

  assert.equal(tools.length, 37);
  for (const { name, input } of tools) {
    assert.match(name, /^[a-zA-Z0-9_]{1,64}$/);
    assert.deepEqual([input.json['type'], isJsonObject(input.json['properties'])], ['object', true]);
    assert.deepEqual(findOddities(input.json), [], name);
  }
});

function findOddities(node: Json): readonly string[] {
  if (Array.isArray(node)) return (node as readonly Json[]).flatMap(findOddities);
  if (!isJsonObject(node)) return [];
  const odd = ['$schema', '$id'].filter((key) => key in node);
  const lists = Array.isArray(node['type']) ? ['a list of types'] : [];
  return [...odd, ...lists, ...Object.values(node).flatMap(findOddities)];
}
