import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';

test('beside a chat in another terminal, what is kept can be looked up, and not changed', async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made' }), says('Persimmon.')]);
  const chat = desk.start([], { input: 'name a fruit\n', keepOpen: true });
  await chat.prints(/Persimmon\./);

  const list = await desk.run(['sessions', '--json']);
  const [session] = (JSON.parse(list.stdout) as { sessions: { id: string; title: string }[] }).sessions;
  const id = session?.id ?? '';
  const shown = await desk.run(['sessions', 'show', id]);
  const found = await desk.run(['sessions', 'search', 'PERSIMMON']);
  const usage = await desk.run(['usage', '--json']);
  const log = await desk.run(['approvals', 'log']);
  const deletion = await desk.run(['sessions', 'delete', '-y', id]);

  assert.equal(session?.title, 'name a fruit');
  assert.match(shown.stdout, /name a fruit[^]*Persimmon\./);
  assert.match(found.stdout, /«Persimmon»/);
  assert.equal((JSON.parse(usage.stdout) as { total: { calls: number } }).total.calls, 2);
  assert.match(log.stdout, /denied: nobody could be asked/);
  assert.equal(deletion.code, 75);
  assert.match(deletion.stderr, /already running \(pid \d+/);
});

test('what a chat writes down after someone looked beside it survives a kill', async () => {
  await using desk = await openDesk([says('One.'), says('Two.')]);
  const chat = desk.start([], { input: 'first\n', keepOpen: true });
  await chat.prints(/One\./);
  const before = await desk.run(['sessions', '--json']);
  chat.child.stdin?.write('second\n');
  await chat.prints(/Two\./);
  chat.child.kill('SIGKILL');
  await chat.ended;

  const [session] = (JSON.parse(before.stdout) as { sessions: { id: string }[] }).sessions;
  const { stdout, code } = await desk.run(['sessions', 'show', session?.id ?? '']);

  assert.equal(code, 0);
  assert.match(stdout, /first[^]*One\.[^]*second[^]*Two\./);
});
