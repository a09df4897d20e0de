import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { noteSingleton } from '../../src/tools/browser/profile-processes.ts';
import { noBrowser } from '../support/browser.ts';
import { whenGone } from '../support/processes.ts';
import { openBrowserBench, processesNaming } from './browser-bench.ts';
import type { BrowserBench } from './browser-bench.ts';

const child = fileURLToPath(new URL('../support/browser-child.ts', import.meta.url));

/** Opens a page in another process, on the home of the bench, and returns that process. */
async function openElsewhere({ bench, site }: BrowserBench): Promise<{ readonly pid: number; readonly said: string }> {
  const args = [child, bench.home, bench.place.sessionId, site.url(), site.host];
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  running.stdout.setEncoding('utf8');
  while (!said.includes('</foreign-text')) {
    const [chunk] = (await once(running.stdout, 'data')) as [string];
    said += chunk;
  }
  return { pid: running.pid ?? 0, said };
}

test(
  'BRW-12w a gateway that is killed takes its browser with it, and the next start has its cookies and none of its files',
  { skip: noBrowser },
  async () => {
    await using here = await openBrowserBench({
      '/': (_asked, answer) => {
        answer
          .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'login=ann; Max-Age=3600' })
          .end('<title>In</title>');
      },
    });
    const profiles = join(here.bench.taskFolder, 'browser');
    const { pid } = await openElsewhere(here);
    const browsers = (await processesNaming(profiles)).filter((each) => each !== pid);

    process.kill(pid, 'SIGKILL');
    for (const each of browsers) await whenGone(each);
    const left = readdirSync(profiles).length;
    here.bench.restart();
    const isSwept = !existsSync(profiles);
    here.site.asked.length = 0;
    const seen = await here.use('snapshot');

    assert.ok(browsers.length > 0);
    assert.deepEqual([left, isSwept], [1, true]);
    assert.match(seen, /title: In/);
    assert.equal(here.site.asked[0]?.cookie, 'login=ann');
  },
);

test(
  'a browser that outlived its gateway is found by its profile and ended at the next start; others are let be',
  { skip: process.platform === 'linux' ? false : 'processes are listed from /proc' },
  async () => {
    await using here = await openBrowserBench({});
    const profiles = join(here.bench.taskFolder, 'browser');
    mkdirSync(join(profiles, 'pOld'), { recursive: true });
    // Stands in for one that hangs: it has the arguments, and does not look at its pipe.
    const wait = 'setInterval(() => undefined, 1000)';
    const ours = spawn(process.execPath, ['-e', wait, '--', `--user-data-dir=${join(profiles, 'pOld')}`]);
    const other = spawn(process.execPath, ['-e', wait, '--', `--user-data-dir=${profiles}-of-another`]);
    await Promise.all([once(ours, 'spawn'), once(other, 'spawn')]);

    here.bench.restart();
    const [, signal] = (await once(ours, 'exit')) as [number | null, string | null];
    const isOtherThere = other.exitCode === null && other.signalCode === null;
    other.kill('SIGKILL');
    await once(other, 'exit');

    assert.equal(signal, 'SIGKILL');
    assert.ok(isOtherThere);
    assert.equal(existsSync(profiles), false);
  },
);

test('of a browser that was killed the folder of its socket goes too, and nothing else that its link leads to', async () => {
  await using here = await openBrowserBench({});
  const profiles = join(here.bench.taskFolder, 'browser');
  const [left, kept, noted] = ['left', 'kept', 'noted'].map((name) => join(here.bench.workdir, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [left, kept, noted]) {
    const profile = join(profiles, basename(folder));
    mkdirSync(profile, { recursive: true });
    mkdirSync(folder);
    for (const name of ['SingletonSocket', 'SingletonCookie']) writeFileSync(join(folder, name), '');
    symlinkSync(join(folder, 'SingletonSocket'), join(profile, 'SingletonSocket'));
  }
  // One that was ended while it tidied up has taken its link away, and no more.
  noteSingleton(join(profiles, 'noted'));
  rmSync(join(profiles, 'noted', 'SingletonSocket'));
  writeFileSync(join(kept, 'note.txt'), 'mine');

  here.bench.restart();

  assert.deepEqual([existsSync(left), existsSync(noted)], [false, false]);
  assert.deepEqual(readdirSync(kept), ['note.txt']);
  assert.equal(existsSync(profiles), false);
});
