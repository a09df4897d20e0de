import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSocketPath } from '../../src/gateway/socket-path.ts';
import type { SocketCheckDeps } from '../../src/gateway/socket-path.ts';

/** Behind the folder comes `/gateway.sock`. */
function folderFor(pathBytes: number): string {
  return `/${'ä'.repeat(10)}${'x'.repeat(pathBytes - 21 - '/gateway.sock'.length)}`;
}

function check(pathBytes: number, deps: Pick<SocketCheckDeps, 'platform' | 'keeper'>): readonly [string, string] {
  const reported: string[] = [];
  const fits = checkSocketPath(folderFor(pathBytes), { ...deps, report: (line) => void reported.push(line) });
  return [fits, reported.join('\n')];
}

for (const [platform, longest] of [
  ['linux', 107],
  ['darwin', 103],
] as const) {
  test(`on ${platform} a socket has at most ${longest} bytes, and one that is longer is told with what to do`, () => {
    const deps = { platform, keeper: 'nobody' } as const;

    const [fits, tooLong] = [check(longest, deps), check(longest + 1, deps)];

    assert.deepEqual(fits, ['fits', '']);
    assert.equal(tooLong[0], 'too-long');
    assert.match(
      tooLong[1],
      new RegExp(`gateway\\.sock has ${longest + 1} bytes, and a socket may have ${longest} here\\. `),
    );
    assert.match(tooLong[1], /; set TALARIA_HOME to a folder with a shorter path$/);
  });
}

test('in the background a gateway that no command could end is not served', () => {
  const deps = { platform: 'linux', keeper: 'background' } as const;

  assert.throws(() => check(108, deps), { code: 'bad-config', message: /too long: .*; set TALARIA_HOME to a/ });
});
