import assert from 'node:assert/strict';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openToolBench } from './open-toolbox.ts';

// Far more than it takes, and far less than the output: what grows with that is over it soon.
const mostGrowth = 200_000_000;
const mostOfSupervisor = 100_000_000;
const lookMs = 20;

/** A command that puts so many bytes out, and ten more at its ends. */
function flood(bytes: number): string {
  return `echo first; yes 0123456789 | head -c ${bytes}; echo; echo last`;
}

const aroundBytes = 'first\n'.length + '\nlast\n'.length;

/** A command that is waited for: both ends are kept, the rest is counted, and memory stays bounded. */
export async function checkForegroundFlood(bytes: number): Promise<void> {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'true' });

  using peak = new Peak(() => Promise.resolve(process.memoryUsage().rss));
  const before = process.memoryUsage().rss;
  const text = await bench.run('terminal', { command: flood(bytes), timeout: 600 });

  const [head = '', notice, tail = ''] = text.split(/\n(\[… .* …\])\n/);
  const [left, all] = [bytes + aroundBytes - 50_000, bytes + aroundBytes].map((count) => count.toLocaleString('en'));
  assert.equal(head.length, 20_000);
  assert.equal(notice, `[… ${left} of ${all} characters left out …]`);
  assert.equal(tail.length, 29_999); // and the newline at the very end, which is not shown
  assert.ok(head.startsWith('first\n0123456789\n') && tail.endsWith('\nlast'));
  assert.ok(peak.value - before < mostGrowth, `grew by ${peak.value - before} bytes`);
}

/** A process in the background: both ends are kept, little is on the disk, the gap is told, and memory stays bounded. */
export async function checkBackgroundFlood(bytes: number): Promise<void> {
  await using bench = await openToolBench();
  const started = await bench.run('terminal', { command: flood(bytes), background: true });
  const id = started.split(/[ .]/)[1] ?? '';
  const folder = join(bench.taskFolder, bench.place.sessionId, 'processes', id);

  using peak = new Peak(() => Promise.resolve(process.memoryUsage().rss));
  using peakOfSupervisor = new Peak(() => memoryAt(folder));
  const before = process.memoryUsage().rss;
  const text = await bench.run('process', { action: 'wait', id, timeout: 600 });

  const end = new RegExp(
    `\\nlast\\n\\[${id} has ended with exit code 0; the output ends at byte ${bytes + aroundBytes}\\]$`,
  );
  assert.match(text, end);
  assert.match(await bench.run('process', { action: 'read', id, offset: 0 }), /^first\n0123456789\n/);
  const gap = await bench.run('process', { action: 'read', id, offset: 2_000_000 });
  assert.match(gap, /^\[bytes 2000000 to \d{8,} are no longer kept\]\n/);
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 16 * 1024 * 1024);
  assert.ok(peak.value - before < mostGrowth, `grew by ${peak.value - before} bytes`);
  assert.ok(peakOfSupervisor.value < mostOfSupervisor, `the supervisor had ${peakOfSupervisor.value} bytes`);
}

/** The most that was seen of something, for as long as it is looked at. */
class Peak implements Disposable {
  value = 0;
  readonly #watch: NodeJS.Timeout;

  constructor(look: () => Promise<number>) {
    this.#watch = setInterval(() => void look().then((seen) => (this.value = Math.max(this.value, seen))), lookMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch);
  }
}

/** How many bytes of memory the programs have together that work in a folder; 0 where the system does not tell. */
async function memoryAt(folder: string): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const each = await Promise.all(
    pids.map(async (pid) => {
      if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== folder) return 0;
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    }),
  );
  return each.reduce((sum, bytes) => sum + bytes, 0);
}
