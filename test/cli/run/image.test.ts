import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ImagePart } from '../../../src/model/message.ts';
import { says } from '../../support/model-script.ts';
import type { SeenRequest } from '../../support/model-script.ts';
import { makePng } from '../../support/pictures.ts';
import { openDesk, parseLines } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

const cat = makePng(17);
const dog = makePng(170);

async function openStudio(): Promise<Desk> {
  const desk = await openDesk(() => says('I see.'));
  await writeFile(join(desk.workdir, 'my cat.png'), cat);
  await writeFile(join(desk.workdir, 'dog.jpeg'), dog);
  return desk;
}

function address(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}

function contents(request: SeenRequest | undefined): readonly unknown[] {
  const messages = (request?.json?.['messages'] ?? []) as readonly { content: unknown }[];
  return messages.map(({ content }) => content);
}

function lastContent(desk: Desk): unknown {
  return contents(desk.server.requests.at(-1)).at(-1);
}

test('talaria run --image shows the model the files, in their order and before the words', async () => {
  await using desk = await openStudio();

  const outcome = await desk.run(['run', '-q', '--image', 'my cat.png', '-i', 'dog.jpeg', 'which is darker?']);

  assert.deepEqual(outcome, { stdout: 'I see.\n', stderr: '', code: 0 });
  assert.deepEqual(lastContent(desk), [
    { type: 'image_url', image_url: { url: address(cat) } },
    { type: 'image_url', image_url: { url: address(dog) } },
    { type: 'text', text: 'which is darker?' },
  ]);
});

test('a picture needs no words', async () => {
  await using desk = await openStudio();

  const { code } = await desk.run(['run', '--image', 'my cat.png']);

  assert.equal(code, 0);
  assert.deepEqual(lastContent(desk), [{ type: 'image_url', image_url: { url: address(cat) } }]);
});

test('a file that cannot be shown is told before anything is asked or kept', async () => {
  await using desk = await openStudio();
  await mkdir(join(desk.workdir, 'folder'));
  await writeFile(join(desk.workdir, 'notes.png'), 'just text');
  await writeFile(join(desk.workdir, 'huge.png'), Buffer.alloc(6 * 1024 * 1024));

  const run = (file: string): Promise<unknown> =>
    desk.run(['run', '--image', file, 'what?']).then(({ stderr, code }) => [stderr.split('\n')[0], code]);

  assert.deepEqual(await run('none.png'), [
    `talaria: cannot use ${join(desk.workdir, 'none.png')}: there is no such file or folder`,
    1,
  ]);
  assert.deepEqual(await run('folder'), ['talaria: folder is not a file', 2]);
  assert.deepEqual(await run('notes.png'), [
    'talaria: notes.png is not a picture that models read: those are PNG, JPEG, GIF and WebP',
    2,
  ]);
  assert.deepEqual(await run('huge.png'), ['talaria: huge.png is too large: 6 MB, and a picture may have 3.75 MB', 2]);
  assert.equal(desk.server.requests.length, 0);
});

test('/image in a chat shows a file, says what is wrong with one, and the chat goes on', async () => {
  await using desk = await openStudio();

  const { stdout, stderr, code } = await desk.run([], {
    input: "/image none.png\n/image\n/image 'my cat.png' what is this?\nthanks\n",
  });

  assert.deepEqual([stdout, code], ['I see.\nI see.\n', 0]);
  assert.match(stderr, /cannot use \S*none\.png: there is no such file[\s\S]*Say it like this: \/image photo\.png/);
  assert.deepEqual(contents(desk.server.requests[0])[1], [
    { type: 'image_url', image_url: { url: address(cat) } },
    { type: 'text', text: 'what is this?' },
  ]);
});

test('a session that has a picture mentions it, exports it, and is deleted with it', async () => {
  await using desk = await openStudio();
  await desk.run(['run', '--image', 'my cat.png', 'what is this?']);
  const [id = ''] = (await desk.run(['sessions'])).stdout.split(' ');

  const shown = await desk.run(['sessions', 'show', id]);
  const markdown = await desk.run(['sessions', 'export', id]);
  const json = await desk.run(['sessions', 'export', id, '--format', 'json']);
  await desk.run(['sessions', 'delete', '-y', id]);

  const mention = /\[an image: my cat\.png, image\/png, 1 KB\]\s+what is this\?/;
  assert.match(shown.stdout, mention);
  assert.match(markdown.stdout, mention);
  const { entries, blobs } = JSON.parse(json.stdout) as Exported;
  const [part] = entries[0]?.entry.parts ?? [];
  assert.deepEqual([part?.type, part?.mediaType, part?.name], ['image', 'image/png', 'my cat.png']);
  assert.equal(blobs[part?.blob ?? ''], cat.toString('base64'));
  for (const entry of await readdir(desk.home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    assert.ok(!bytes.includes(cat.toString('base64')), entry.name);
  }
});

interface Exported {
  readonly entries: readonly { readonly entry: { readonly parts?: readonly ImagePart[] } }[];
  readonly blobs: Readonly<Record<string, string>>;
}

test('with --json a picture is in the events by reference, never in bytes', async () => {
  await using desk = await openStudio();

  const { stdout } = await desk.run(['run', '--json', '--image', 'my cat.png', 'what is this?']);

  assert.equal(parseLines(stdout).at(-1)?.['ok'], true);
  assert.equal(stdout.includes(cat.toString('base64')), false);
});
