import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { BlobId } from '../../../src/base/ids.ts';
import { textPart } from '../../../src/model/message.ts';
import type { AssistantMessage, Message, Part, ToolOutcome } from '../../../src/model/message.ts';
import type { ModelEvent, ModelRequest, Provider, ToolSchema } from '../../../src/model/provider.ts';
import { demoRuntime } from '../../../src/providers/choose-runtime.ts';
import { DemoTransport } from '../../../src/providers/demo/demo-transport.ts';
import { createOpenAiChat } from '../../../src/providers/openai-chat.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { requestOf } from '../chat-setup.ts';

const allTools = ['terminal', 'read_file', 'write_file', 'patch', 'search_files', 'process'];

function schemas(names: readonly string[]): readonly ToolSchema[] {
  return names.map((name) => ({ name, description: name, parameters: { type: 'object' } }));
}

function openDemo(): Provider {
  return createOpenAiChat(demoRuntime(), new DemoTransport({ clock: { sleep: () => Promise.resolve() } }));
}

async function answerTo(messages: readonly Message[], changes: Partial<ModelRequest> = {}): Promise<AssistantMessage> {
  const request = requestOf({ tools: schemas(allTools), messages, ...changes });
  const events = await Array.fromAsync(openDemo().stream(request, new AbortController().signal));
  const last = events.at(-1);
  if (last?.type !== 'finished') throw new Error(`the demo failed: ${JSON.stringify(last)}`);
  return last.message;
}

function user(text: string): Message {
  return { role: 'user', parts: [textPart(text)] };
}

function textOf(message: AssistantMessage | undefined): string {
  return message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
}

/** Talks to the demo as a turn does, until it calls no more tools; each call is answered by the given outcome. */
async function talk(
  text: string,
  runTool: (name: string, input: Record<string, string>) => ToolOutcome,
  {
    steering = [],
    history = [],
  }: { readonly steering?: readonly string[]; readonly history?: readonly Message[] } = {},
): Promise<{
  readonly reply: string;
  readonly calls: readonly (readonly [string, Record<string, string>])[];
  readonly messages: readonly Message[];
}> {
  const messages: Message[] = [...history, user(text)];
  const calls: (readonly [string, Record<string, string>])[] = [];
  for (let step = 0; step < 20; step += 1) {
    const message = await answerTo(messages);
    messages.push(message);
    if (message.calls.length === 0) return { reply: textOf(message), calls, messages };
    for (const call of message.calls) {
      const input = JSON.parse(call.arguments) as Record<string, string>;
      calls.push([call.name, input]);
      messages.push({
        role: 'tool',
        callId: call.id,
        outcome: runTool(call.name, input),
        steering: calls.length === 1 ? steering : [],
      });
    }
  }
  throw new Error('the demo does not come to an end');
}

function done(text: string): ToolOutcome {
  return { type: 'done', parts: [textPart(text)] };
}

test('the first reply of a conversation says on its first line what is talking and how to connect a real model', async () => {
  const first = await answerTo([user('hello')]);
  const afterTools = await talk('what time is it', () => done('Thu Jan  1 00:00:00 UTC 2026'));
  const second = await answerTo([user('hello'), first, user('hello')]);

  for (const reply of [textOf(first), afterTools.reply]) {
    const [line] = reply.split('\n');
    assert.match(
      line ?? '',
      /offline demo.* set OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY or another key, or start Ollama/,
    );
  }
  assert.doesNotMatch(textOf(second), /offline demo/);
});

test('the demo lists files through the shell and says what it saw', async () => {
  const { reply, calls } = await talk('list the files in "my docs"', () => done('a.txt\nb.txt\nsub/\n'));

  assert.deepEqual(calls, [['terminal', { command: "ls -Ap -- 'my docs'" }]]);
  assert.match(reply, /2 files and 1 folder:\n\n```\na\.txt\nb\.txt\nsub\/\n```/);
});

test('the demo tells the time, runs commands, reads and searches', async () => {
  const answers: Readonly<Record<string, string>> = {
    date: 'Thu Jan  1 2026',
    'false; echo no': 'no\n[exit code 1: general error]',
    true: '[no output]',
    'echo "[1]"': '[1]',
  };
  const runTool = (name: string, input: Record<string, string>): ToolOutcome => {
    if (name === 'terminal') return done(answers[input['command'] ?? ''] ?? 'Linux box');
    return done(
      name === 'read_file'
        ? '1|hello\n2|world\n[lines 1-2 of 2 in notes.md]'
        : 'a.ts\n3:// FIXME this\n[1 matches in /home/me/src]',
    );
  };

  assert.match((await talk('what time is it?', runTool)).reply, /It is Thu Jan {2}1 2026\./);
  assert.match((await talk('run `uname -a`', runTool)).reply, /`uname -a` printed:\n\n```\nLinux box\n```/);
  assert.match(
    (await talk('run `false; echo no`', runTool)).reply,
    /did not succeed:\n\n```\nno\n```\n\(exit code 1: general error\)/,
  );
  assert.match((await talk('run `echo "[1]"`', runTool)).reply, /printed:\n\n```\n\[1\]\n```/);
  assert.match((await talk('run `true`', runTool)).reply, /`true` ran and printed nothing/);
  assert.match(
    (await talk('read notes.md', runTool)).reply,
    /notes\.md reads:\n\n```\n1\|hello\n2\|world\n```\n\(lines 1-2 of 2/,
  );
  const search = await talk('find foo(bar) in src', runTool);
  assert.deepEqual(search.calls, [['search_files', { pattern: 'foo\\(bar\\)', target: 'content', path: 'src' }]]);
  assert.match(search.reply, /found for foo\(bar\):\n\n```\na\.ts\n3:\/\/ FIXME this\n```/);
  assert.match((await talk('find *.zig files', () => done('[no files in /home/me]'))).reply, /found no \*\.zig here\./);
  assert.match((await talk('find zebra in src', () => done('[no matches in src]'))).reply, /found no zebra in src\./);
});

test('what the shell notes about a command is not taken for what it printed', async () => {
  const inside = await talk('run `make`', () => done('made\n[this ran in the sandbox]'));
  const silent = await talk('run `make`', () => done('[this ran in the sandbox]'));
  const cut = await talk('run `make`', () => done('made\n[a part of the output could not be kept]'));

  assert.match(inside.reply, /printed:\n\n```\nmade\n```\n\(this ran in the sandbox\)/);
  assert.match(silent.reply, /`make` ran and printed nothing/);
  assert.match(cut.reply, /```\nmade\n```\n\(a part of the output could not be kept\)/);
});

test('where the sandbox is in the way, the demo says so and what to say to leave it, which is then asked for', async () => {
  const { noteSandbox } = await import('../../../src/tools/sandbox/sandbox-note.ts');
  const output = 'curl: (6) Could not resolve host';
  const result = { ending: { type: 'exited', code: 6 }, output } as Parameters<typeof noteSandbox>[0];
  const note = noteSandbox(result, { limits: 'no network; writes only here', difference: undefined });
  const barred = await talk('run make', () => done(`${output}\n[${note}]\n[exit code 2]`));
  const again = await talk('run it outside the sandbox', () => done('made'), { history: barred.messages });

  assert.match(
    barred.reply,
    /did not succeed:[^]*\nThis ran in the sandbox: no network; writes only here\. [^\n]*say: run it outside the sandbox\. [^\n]*\n\(exit code 2\)$/,
  );
  assert.doesNotMatch(barred.reply, /outside: true|call again/);
  assert.deepEqual(again.calls, [['terminal', { command: 'make', outside: true }]]);
});

test('what a command of the user listed is shown and not counted', async () => {
  for (const command of ['ls', 'ls -la', 'ls -A src', 'ls -Apt']) {
    const { reply } = await talk(`run \`${command}\``, () => done('total 8\n.\n..\na.txt'));

    assert.match(reply, /printed:\n\n```\ntotal 8\n\.\n\.\.\na\.txt\n```/);
    assert.doesNotMatch(reply, /\d files?/);
  }
});

test('several things that the demo does not understand are answered once', async () => {
  const { reply } = await talk('write a commit message\n\ndiff --git a/x b/x\n+one\n-two', () => done(''));

  assert.equal(reply.match(/do not understand/g)?.length, 1);
});

test('the demo makes up a text, writes it, and shows what it wrote', async () => {
  const { reply, calls } = await talk('write a poem about autumn to poem.txt', () => done('wrote 300 bytes'));

  const [[tool, input] = ['', {} as Record<string, string>]] = calls;
  assert.deepEqual([calls.length, tool, input['path']], [1, 'write_file', 'poem.txt']);
  assert.match(input['content'] ?? '', /autumn/);
  assert.equal(reply.includes((input['content'] ?? '').trim()), true);
});

test('the demo changes a file with the tool for it and shows the difference', async () => {
  const diff = '--- /w/out.txt\n+++ /w/out.txt\n@@ -1,1 +1,1 @@\n-hello\n+bye';
  const { reply, calls } = await talk('write hello to out.txt and then change hello to bye in it', (name) =>
    done(name === 'patch' ? `patched /w/out.txt\n${diff}` : 'wrote /w/out.txt (6 bytes)'),
  );

  assert.deepEqual(calls, [
    ['write_file', { path: 'out.txt', content: 'hello\n' }],
    ['patch', { path: 'out.txt', old_string: 'hello', new_string: 'bye' }],
  ]);
  assert.match(reply, /I changed out\.txt:\n\n```\n@@ -1,1 \+1,1 @@\n-hello\n\+bye\n```/);
});

test('the demo adds to a file and deletes it through the shell, in words that the shell takes as they are', async () => {
  const asked = `append "it's $HOME" to "my notes.txt" and then read it and then delete "my notes.txt"`;
  const { reply, calls } = await talk(asked, (name) => done(name === 'terminal' ? '[no output]' : "1|it's $HOME"));

  assert.deepEqual(calls, [
    ['terminal', { command: `printf '%s\\n' 'it'\\''s $HOME' >> 'my notes.txt'` }],
    ['read_file', { path: 'my notes.txt' }],
    ['terminal', { command: `rm -- 'my notes.txt'` }],
  ]);
  assert.match(reply, /I added that to the end of my notes\.txt\.[^]*I deleted my notes\.txt\.$/);
});

test('the demo starts a process in the background, shows it, and stops the newest that it has not stopped', async () => {
  const first = await talk('run sleep 1 in the background', () => done('Started proc_aa. It runs on by itself.'));
  const note = 'It runs in the sandbox, where nothing else reaches its ports; a server is started with outside: true.';
  const second = await talk('start `sleep 2`', () => done(`Started proc_bb. It runs on. ${note}`), {
    history: first.messages,
  });
  const outside = await talk('run it outside the sandbox', () => done('Started proc_cc.'), {
    history: second.messages,
  });
  const stops = await talk('stop it then stop it', () => done('proc_cc is killed: it has ended with exit code 143.'), {
    history: outside.messages,
  });
  const nothing = await talk('stop it', () => done(''));
  const server = await talk('start a server on port 8123', () => done('Started proc_dd.'));

  assert.deepEqual(first.calls, [['terminal', { command: 'sleep 1', background: true }]]);
  assert.match(first.reply, /`sleep 1` is started in the background as proc_aa\. [^\n]*stop it$/);
  assert.match(
    second.reply,
    /as proc_bb, in the sandbox, where nothing else reaches its ports\.[^\n]*outside the sandbox$/,
  );
  assert.deepEqual(outside.calls, [['terminal', { command: 'sleep 2', background: true, outside: true }]]);
  assert.deepEqual(stops.calls, [
    ['process', { action: 'kill', id: 'proc_cc' }],
    ['process', { action: 'kill', id: 'proc_bb' }],
  ]);
  assert.match(stops.reply, /proc_cc is killed: it has ended with exit code 143\./);
  assert.match(server.reply, /server for http:\/\/127\.0\.0\.1:8123 is started in the background as proc_dd\./);
  assert.deepEqual([nothing.calls, /no background process/.test(nothing.reply)], [[], true]);
});

test('the demo shows what runs in the background and what that has printed', async () => {
  const line = 'proc_aa is running; started 3s ago: sleep 9';
  const list = await talk('what is running', () => done(line));
  const output = await talk('show its output', () => done('hi\n[proc_aa is running; the output ends at byte 3]'), {
    history: list.messages,
  });
  const none = await talk('what is running', () => done('There are no background processes in this conversation.'));

  assert.match(list.reply, /background processes:\n\n```\nproc_aa is running; started 3s ago: sleep 9\n```$/);
  assert.deepEqual(output.calls, [['process', { action: 'read', id: 'proc_aa' }]]);
  assert.match(output.reply, /proc_aa has printed this so far:\n\n```\nhi\n```\n\(proc_aa is running; /);
  assert.match(none.reply, /\n\nThere are no background processes in this conversation\.$/);
});

test('what the demo is told about its processes is not taken for a message of the user', async () => {
  const news = '[The background process proc_aa (x) has ended. This is no message of the user; process read shows it.]';
  const before = await answerTo([user('what time is it'), user(news)]);
  const { calls } = await talk(`${news}\n\nrun \`uname\``, () => done('Linux'));

  assert.deepEqual(
    before.calls.map(({ name }) => name),
    ['terminal'],
  );
  assert.deepEqual(calls, [['terminal', { command: 'uname' }]]);
});

test('what is only the first of a list is read, and neither changed nor deleted', async () => {
  for (const change of ['delete it', 'append "x" to it', 'change a to b in it']) {
    const { reply, calls } = await talk(`list the files and then ${change}`, () => done('a.txt\nb.txt'));

    assert.deepEqual(calls, [['terminal', { command: 'ls -Ap' }]]);
    assert.match(reply, /do not know which file you mean/);
  }
});

test('the demo goes through several steps, each with what the one before found', async () => {
  const { reply, calls } = await talk('list the files in docs and then read the first one', (name) =>
    done(name === 'terminal' ? 'guide/\nindex.md\n' : 'Welcome'),
  );

  assert.deepEqual(calls, [
    ['terminal', { command: 'ls -Ap -- docs' }],
    ['read_file', { path: 'docs/index.md' }],
  ]);
  assert.match(reply, /1 file and 1 folder[\s\S]*Welcome/);
});

test('what the user adds while a tool runs is done as well', async () => {
  const { calls } = await talk('what time is it', () => done('noon'), { steering: ['run `uname`'] });

  assert.deepEqual(calls, [
    ['terminal', { command: 'date' }],
    ['terminal', { command: 'uname' }],
  ]);
});

test('a call that was refused or failed is told as such, and nothing is tried after it', async () => {
  const outcomes: readonly (readonly [ToolOutcome, RegExp])[] = [
    [{ type: 'refused', reason: 'nobody can be asked. Obey' }, /^(?![^]*asked)[^]*terminal \(rm x\) did not run\.$/],
    [{ type: 'failed', message: 'no such shell' }, /did not work \(terminal \(rm x\)\): no such shell/],
    [{ type: 'interrupted' }, /may have run in part/],
    [{ type: 'unknown', lastSeen: 'started' }, /do not know what terminal \(rm x\) did/],
  ];
  for (const [outcome, expected] of outcomes) {
    const { reply, calls } = await talk('run `rm x` and then run `echo done`', () => outcome);
    assert.equal(calls.length, 1);
    assert.match(reply, expected);
  }
});

test('the demo calls no tool that it was not given', async () => {
  const without = await answerTo([user('run `uname`')], { tools: schemas(['read_file']) });
  const forbidden = await answerTo([user('run `uname`')], { toolUse: 'forbidden' });

  for (const message of [without, forbidden]) {
    assert.deepEqual(message.calls, []);
    assert.match(textOf(message), /need the tool terminal/);
  }
});

test('the demo says plainly what it cannot do, and what it can', async () => {
  const reply = textOf(await answerTo([user('prove the Riemann hypothesis')]));

  assert.match(reply, /do not understand/);
  assert.match(
    reply,
    /list files, read a file, search in files, run a command, tell the time, write to a file .*processes in the background/,
  );
});

test('everything that the demo suggests to try is something that it understands', async () => {
  const { understand } = await import('../../../src/providers/demo/understand.ts');
  const reply = textOf(await answerTo([user('what can you do?')]));

  const suggestions = reply.slice(reply.indexOf('Try: ') + 'Try: '.length).split(' · ');

  const types = suggestions.map((text) => understand(text).map(({ type }) => type));
  const expected = 'list run write replace append delete compose serve processes stop run'.split(' ');
  assert.deepEqual(
    types,
    expected.map((type) => [type]),
  );
});

test('a reply streams word by word, and its first word does not wait', async () => {
  const clock = new ManualClock();
  const demo = createOpenAiChat(demoRuntime(), new DemoTransport({ clock }));
  const stream = demo.stream(requestOf({ messages: [user('say one two')] }), new AbortController().signal);
  const events: ModelEvent[] = [];

  for await (const event of stream) {
    events.push(event);
    if (event.type === 'text.delta') void clock.whenSomeoneSleeps().then(() => clock.advance(2));
  }

  const deltas = events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : []));
  assert.equal(deltas.length > 20, true);
  assert.equal(clock.monotonic() - new ManualClock().monotonic() < 100, true);
  const last = events.at(-1);
  assert.equal(last?.type === 'finished' && textOf(last.message), deltas.join(''));
  assert.equal(last?.type === 'finished' && last.usage.output, Math.ceil(deltas.join('').length / 4));
});

test('a reply of the demo can be stopped', async () => {
  const clock = new ManualClock();
  const demo = createOpenAiChat(demoRuntime(), new DemoTransport({ clock }));
  const abort = new AbortController();
  const events: ModelEvent[] = [];

  for await (const event of demo.stream(requestOf(), abort.signal)) {
    events.push(event);
    abort.abort();
  }

  assert.deepEqual([events.length, events.at(-1)], [2, { type: 'failed', failure: { type: 'aborted' } }]);
});

test('a picture that it is shown is said not to be seen, and what else was asked for is done', async () => {
  const picture: Part = {
    type: 'image',
    blob: 'blob_1' as BlobId,
    mediaType: 'image/png',
    bytes: 5000,
    name: 'a [1].png',
  };
  const unseen = 'I take no pictures. All that I read is: [an image: a [1].png, image/png, 5 KB]';

  const alone = await answerTo([{ role: 'user', parts: [picture] }]);
  const asked = await answerTo([{ role: 'user', parts: [picture, textPart('say hello')] }]);
  const later = await answerTo([{ role: 'user', parts: [picture] }, alone, user('say hello')]);

  assert.deepEqual(
    [alone, asked, later].map((message) => textOf(message).split('\n\n').slice(-2)),
    [[textOf(alone).split('\n\n')[0], unseen], [unseen, 'Hello.'], ['Hello.']],
  );
});
