import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { BackgroundProcesses } from '../../src/tools/processes/background-processes.ts';
import { ProcessTicket } from '../../src/tools/processes/process-ticket.ts';
import { readOutputEnd, readOutputFrom } from '../../src/tools/processes/spooled-output.ts';
import type { OutputPiece } from '../../src/tools/processes/spooled-output.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { checkBackgroundFlood } from './large-output.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

const full = { skip: whyNoSmallDisk() };

async function runToEnd(bench: ToolBench, command: string): Promise<{ id: string; text: string }> {
  const started = await bench.run('terminal', { command, background: true });
  const id = started.split(/[ .]/)[1] ?? '';
  return { id, text: await bench.run('process', { action: 'wait', id, timeout: 600 }) };
}

test('an output is read on from where the last reading ended, and no character is cut in two', async () => {
  await using bench = await openToolBench();
  const { id } = await runToEnd(bench, String.raw`printf x; printf 'ä%.0s' {1..30000}; echo`);

  let text = '';
  for (let offset = 0; offset < 60_002;) {
    const page = await bench.run('process', { action: 'read', id, offset });
    const note = page.lastIndexOf('\n[');
    text += page.slice(0, note);
    offset = Number(/bytes \d+ to (\d+) of/.exec(page.slice(note))?.[1] ?? 60_002);
  }

  assert.equal(text, `x${'ä'.repeat(30_000)}`);
});

test('the last lines are read, as many as are asked for', async () => {
  await using bench = await openToolBench();
  const { id, text } = await runToEnd(bench, 'seq 1 5000');

  const three = await bench.run('process', { action: 'read', id, lines: 3 });

  assert.equal(text.split('\n').length, 102);
  assert.match(three, /^\[what came before is left out\]\n4998\n4999\n5000\n\[/);
});

test('of an output of 100 MB the head and the end are kept, little is on the disk, the gap is told, and memory stays bounded', async () => {
  await checkBackgroundFlood(100_000_000);
});

/** Where each line is its number in ten bytes, a piece says by itself where it stands. */
function firstLineOf({ bytes, from }: OutputPiece): readonly [number, number] {
  const line = Math.ceil(from / 10);
  return [Number(bytes.toString('latin1', line * 10 - from, line * 10 - from + 9)), line + 1];
}

test('offsets stay true while the middle is taken out of a growing output', async () => {
  await using bench = await openToolBench();
  const { sessionId } = bench.place;
  const started = await bench.run('terminal', { command: 'seq -f %09.0f 1 6000000', background: true });
  const ticket = new BackgroundProcesses(bench.taskFolder).find(sessionId, started.split(/[ .]/)[1] ?? '');
  assert.ok(ticket !== undefined);

  let total = 0;
  while (ticket.state().type === 'running') {
    for (const piece of [await readOutputFrom(ticket, total, 5000), await readOutputEnd(ticket, 5000)]) {
      if (piece.bytes.length > 20) assert.equal(...firstLineOf(piece));
      total = piece.total;
    }
  }

  assert.equal((await readOutputEnd(ticket, 10)).bytes.toString(), '006000000\n');
  assert.equal((await readOutputEnd(ticket, 10)).total, 60_000_000);
});

test('who reads while the middle is being taken out waits until that is done', async () => {
  await using folder = await makeTempFolder();
  const ticket = new ProcessTicket(folder.path, 'proc_1');
  const head = 'h'.repeat(1024 * 1024);
  await mkdir(ticket.folder);
  await writeFile(ticket.outputFile, `${head}${'m'.repeat(5000)}end`);
  await writeFile(join(ticket.folder, 'tail'), 'end');
  await writeFile(join(ticket.folder, 'dropped'), '5000\n');

  const reading = readOutputEnd(ticket, 100);
  await nextTick();
  await writeFile(ticket.outputFile, `${head}end`);
  await rm(join(ticket.folder, 'tail'));

  const { bytes, ...place } = await reading;
  assert.equal(bytes.toString(), 'end');
  assert.deepEqual(place, { from: head.length + 5000, to: head.length + 5003, total: head.length + 5003 });
});

test(
  'a full disk costs a part of the output, which is told, and neither the process nor its exit code',
  full,
  async () => {
    await using bench = await openToolBench();
    await mkdir(bench.taskFolder, { recursive: true });
    using _disk = mountSmallDisk(bench.taskFolder, 2);

    const { text } = await runToEnd(bench, 'echo first; head -c 5000000 /dev/zero; echo ran > ran; exit 8');

    assert.match(text, /\[a part of the output could not be kept\]\n\[proc_\w+ has ended with exit code 8;/);
    assert.deepEqual(await readdir(bench.workdir), ['ran']);
    await bench.toolbox.endTask(bench.place.sessionId);
  },
);

test('what is no text is read without what only a terminal could show', async () => {
  await using bench = await openToolBench();

  const { id, text } = await runToEnd(bench, String.raw`printf 'a\0b\x07c\xff\n'; head -c 50000 /dev/zero`);

  assert.equal(
    text,
    `[what came before is left out]\n[${id} has ended with exit code 0; the output ends at byte 50007]`,
  );
  const head = await bench.run('process', { action: 'read', id, offset: 0 });
  assert.match(head, /^abc\uFFFD\n\[proc_\w+ has ended with exit code 0; bytes 0 to 40000 of 50007\]$/);
});
