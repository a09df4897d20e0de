import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json.ts';
import { noBoundRights } from '../../support/bound-rights.ts';
import { doesAll, findMisread } from '../../support/every-tool.ts';
import type { ToolUse } from '../../support/every-tool.ts';
import { anna, botToken } from '../../support/telegram-server.ts';
import { openGatewayDesk } from './gateway-desk.ts';

const edit = { old_string: 'needle', new_string: 'thread' };

/** What nobody has the permission for, by every tool that comes to files or programs. */
const uses: readonly ToolUse[] = [
  use('terminal', { command: 'cd work' }, /^\[no output\]$/),
  use('read_file', { path: 'unreadable' }, /^ERROR: EACCES: permission denied, open '\/.*\/unreadable'$/),
  use('read_file', { path: 'closed/file' }, /^ERROR: EACCES: permission denied, stat '\/.*\/closed\/file'$/),
  use(
    'write_file',
    { path: 'unreadable', content: 'x' },
    /^ERROR: there is no permission to write to \/.*\/unreadable; ask/,
  ),
  use(
    'write_file',
    { path: 'protected', content: 'x' },
    /^ERROR: there is no permission to write to \/.*\/protected; ask/,
  ),
  use('write_file', { path: 'shut/file', content: 'x' }, /^ERROR: EACCES: permission denied, open '\/.*\/shut\/file'$/),
  use('write_file', { path: 'shut/new', content: 'x' }, /^ERROR: EACCES: permission denied, open '\/.*\/shut\/new'$/),
  use('write_file', { path: 'shut/a/b', content: 'x' }, /^ERROR: EACCES: permission denied, mkdir '\/.*\/shut\/a'$/),
  use('patch', { path: 'unreadable', ...edit }, /^ERROR: there is no permission to write to \/.*\/unreadable; ask/),
  use('patch', { path: 'protected', ...edit }, /^ERROR: there is no permission to write to \/.*\/protected; ask/),
  use('patch', { path: 'shut/file', ...edit }, /^ERROR: EACCES: permission denied, open '\/.*\/shut\/file'$/),
  use('patch', { path: 'closed/file', ...edit }, /^ERROR: EACCES: permission denied, stat '\/.*\/closed\/file'$/),
  use(
    'search_files',
    { pattern: 'needle' },
    /^program\n1:needle\nprotected\n1:needle\nsent\n1:needle\nshut\/file\n1:needle\n\[4 matches in \/.*; could not be read: closed, unreadable\]$/,
  ),
  use('search_files', { pattern: 'absent' }, /^\[no matches in \/.*; could not be read: closed, unreadable\]$/),
  use('search_files', { pattern: 'needle', path: 'closed' }, /^ERROR: EACCES: permission denied, open '\/.*\/closed'$/),
  use(
    'terminal',
    { command: './program' },
    /^bash: .*\.\/program: Permission denied\n\[exit code 126: could not be executed\]$/,
  ),
  use('terminal', { command: 'pwd', workdir: 'closed' }, /^bash: .*\/closed: Permission denied\n\[exit code 126/),
  use('terminal', { command: 'cat unreadable', background: true }, /^Started proc_/),
  {
    tool: 'process',
    input: (last) => ({ action: 'wait', id: /proc_\w+/.exec(last)?.[0] ?? '' }),
    reads: /^cat: unreadable: Permission denied\n\[proc_\w+ has ended with exit code 1;/,
  },
  use('send_message', { text: 'No.', file: 'unreadable' }, /^ERROR: there is no permission to read \/.*\/unreadable$/),
  use(
    'send_message',
    { text: 'No.', file: 'closed/file' },
    /^ERROR: there is no permission to read \/.*\/closed\/file$/,
  ),
  use('send_message', { text: 'Here it is.', file: 'sent' }, /^Handed over to telegram:42\./),
];

function use(tool: string, input: JsonObject, reads: RegExp): ToolUse {
  return { tool, input, reads };
}

const names = ['unreadable', 'protected', 'sent', 'program', 'closed/file', 'shut/file'];
const modes = { unreadable: 0o000, protected: 0o444, closed: 0o000, shut: 0o555 };

/** One of each kind of thing that somebody may have no permission for. */
async function fill(folder: string): Promise<void> {
  for (const name of ['closed', 'shut']) await mkdir(join(folder, name));
  for (const name of names) await writeFile(join(folder, name), 'needle\n', { mode: 0o644 });
  for (const [name, mode] of Object.entries(modes)) await chmod(join(folder, name), mode);
}

test(
  'what there is no permission for is said to the model, and neither done another way nor left half done',
  { skip: noBoundRights },
  async () => {
    await using bench = await openGatewayDesk(doesAll(uses), [anna.id]);
    const { desk, telegram } = bench;
    await fill(desk.workdir);
    const sent = join(desk.workdir, 'sent');
    telegram.disturb = ({ parameters }) => {
      // The text arrives first; by the time for its file somebody has closed that.
      if (parameters['text'] === 'Here it is.') chmodSync(sent, 0o000);
      return undefined;
    };
    const showing = (part: RegExp): Promise<readonly string[]> =>
      telegram.whenShown(anna.id, (texts) => texts.some((text) => part.test(text)));

    const gateway = desk.start(['gateway'], {
      env: { TELEGRAM_BOT_TOKEN: botToken },
      as: 'held-back',
      longestMs: 110_000,
    });
    await gateway.prints(/Serving telegram with/);
    telegram.say('/yolo on');
    await showing(/^From now on nothing is asked/);
    telegram.say('go');
    await showing(/That was all\.|That did not work/);
    await showing(/^\(sent was not sent: there is no permission to read it\)$/);
    gateway.child.kill('SIGTERM');
    await gateway.ended;

    assert.deepEqual(findMisread(uses, desk.server.requests), []);
    for (const name of [...Object.keys(modes), 'sent']) await chmod(join(desk.workdir, name), 0o700);
    const left = await readdir(desk.workdir, { recursive: true, withFileTypes: true });
    const files = left.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    assert.deepEqual(files.toSorted(), names.map((name) => join(desk.workdir, name)).toSorted());
    for (const file of files) assert.equal(await readFile(file, 'utf8'), 'needle\n', file);
  },
);
