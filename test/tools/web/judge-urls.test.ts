import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { outcomeToText } from '../../../src/model/message.ts';
import { createUrlGuard } from '../../../src/tools/browser/url-guard.ts';
import type { UrlGuard } from '../../../src/tools/browser/url-guard.ts';
import { BarredHost } from '../../../src/tools/web/guarded-lookup.ts';
import { judgeUrl, portOf } from '../../../src/tools/web/judge-url.ts';
import { readExceptions } from '../../../src/tools/web/private-exceptions.ts';
import { startWebSite } from '../../support/web-site.ts';
import type { WebSite } from '../../support/web-site.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

interface ListedUrl {
  readonly line: string;
  readonly url: string;
  readonly addresses: readonly string[];
}

function readList(name: string): readonly ListedUrl[] {
  const lines = readFileSync(join(import.meta.dirname, name), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, written = '', addresses = ''] = /^\S+\s+(.*?)(?:\s+=>\s+(.*))?$/.exec(line) ?? [];
      const url = written.replaceAll(/\\(?:x([0-9a-f]{2})|u\{([0-9a-f]+)\})/g, (_all, short: string, long: string) =>
        String.fromCodePoint(Number.parseInt(short ?? long, 16)),
      );
      return { line, url, addresses: addresses.split(/,\s*/).filter((address) => address !== '') };
    });
}

const hostile = readList('hostile-urls.txt');
const harmless = readList('harmless-urls.txt');

/** A bench that knows the names of the list, and may reach one site of ours, which leads on to where it is told. */
async function openBench(site: WebSite): Promise<ToolBench> {
  const names = new Map(hostile.map(({ url, addresses }) => [hostOf(url), addresses]));
  return await openToolBench({ search: { allowPrivate: [site.host] }, names: (host) => names.get(host) ?? [] });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

async function startLeadingSite(): Promise<WebSite> {
  const targets = hostile.map(({ url }) => url);
  return await startWebSite({
    '/': (request, response) => {
      const target = targets[Number(request.path.split('?')[1])] ?? '';
      // As bytes, since that is how a server that means harm would write it.
      response.socket?.end(Buffer.from(`HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`));
    },
  });
}

test('the list of hostile addresses has at least 150, and none twice', () => {
  assert.ok(hostile.length >= 150, String(hostile.length));
  assert.equal(new Set(hostile.map(({ line }) => line)).size, hostile.length);
});

test('no hostile address is fetched, and none is connected to', async () => {
  await using site = await startLeadingSite();
  await using bench = await openBench(site);

  for (const { line, url, addresses } of hostile) {
    const outcome = await bench.outcome('web_fetch', { url });
    assert.match(outcomeToText(outcome), /^(?:REFUSED|ERROR): (?!cannot reach)/, line);
    if (addresses.length > 0) assert.equal(outcome.type, 'refused', line);
    else assert.deepEqual(bench.asked, [], line);
    bench.asked.length = 0;
  }
  assert.equal(site.connections(), 0);
});

test('no hostile address is reached by being led to it', async () => {
  await using site = await startLeadingSite();
  await using bench = await openBench(site);

  for (const [index, { line }] of hostile.entries()) {
    const text = await bench.run('web_fetch', { url: `${site.origin}/?${index}` });
    assert.match(text, /^(?:REFUSED|ERROR): /, line);
    assert.doesNotMatch(text, /cannot reach (?!example\.com|exam)/, line);
  }
});

/** The browser's guard, with the names of the list; what is not there is public. */
function guardWith(...allowed: readonly string[]): UrlGuard {
  const names = new Map(hostile.map(({ url, addresses }) => [hostOf(url), addresses]));
  const resolve = (host: string): Promise<readonly LookupAddress[]> =>
    Promise.resolve((names.get(host) ?? ['93.184.216.34']).map((address) => ({ address, family: isIP(address) })));
  return createUrlGuard({ allowPrivate: () => allowed, resolve });
}

test('no hostile address is opened by the browser either', async () => {
  const guard = guardWith();

  for (const { line, url, addresses } of hostile) {
    if (addresses.length === 0) assert.ok(guard.judge(url) !== undefined, line);
    else await assert.rejects(guard.resolve(hostOf(url), portOf(new URL(url))), BarredHost, line);
  }
});

test('what a page loads, dials or is led to is judged like what is opened', async () => {
  const guard = guardWith();
  const led = hostile.filter(({ url }) => URL.canParse(url) && judgeUrl(url, []).type === 'barred');

  assert.ok(led.length > 100, String(led.length));
  for (const { line, url } of led) {
    await assert.rejects(guard.resolve(hostOf(url), portOf(new URL(url))), BarredHost, line);
  }
});

test('all harmless addresses may be fetched and opened, and nobody is asked', async () => {
  await using bench = await openToolBench();
  const guard = guardWith();

  for (const { line, url } of harmless) {
    assert.equal(judgeUrl(url, []).type, 'fit', line);
    assert.equal(guard.judge(url), undefined, line);
    assert.deepEqual(await bench.assess('web_fetch', { url }), { type: 'safe' }, line);
  }
});

const verdictOf = (url: string, ...allowed: readonly string[]): string => judgeUrl(url, readExceptions(allowed)).type;

const cases: readonly (readonly [verdict: string, url: string, ...allowed: string[]])[] = [
  ['fit', 'http://nas.local/', 'nas.local'],
  ['fit', 'http://NAS.local./x', 'Nas.Local'],
  ['fit', 'http://nas/', 'nas'],
  ['barred', 'http://other.local/', 'nas.local'],
  ['barred', 'http://evil.nas.local/', 'nas.local'],
  ['fit', 'http://192.168.1.20:8080/', '192.168.1.20'],
  ['fit', 'http://0xc0a80114/', '192.168.1.20'],
  ['fit', 'http://[::ffff:192.168.1.20]/', '192.168.1.20'],
  ['barred', 'http://192.168.1.21/', '192.168.1.20'],
  ['fit', 'http://10.20.30.40/', '10.0.0.0/8'],
  ['barred', 'http://11.0.0.1.local/', '10.0.0.0/8'],
  ['fit', 'http://[fd00::1]/', 'fd00::/8'],
  ['fit', 'http://[fd00::1]:8080/', '[fd00::1]:8080'],
  ['barred', 'http://[fd00::1]:8081/', '[fd00::1]:8080'],
  ['fit', 'http://nas.local:631/', 'nas.local:631'],
  ['barred', 'http://nas.local:631/', 'nas.local'],
  ['barred', 'http://nas.local:8080/', 'nas.local:631'],
  ['barred', 'http://169.254.169.254/', '169.254.0.0/16'],
  ['barred', 'http://169.254.169.254/', '0.0.0.0/0', '169.254.169.254'],
  ['barred', 'http://metadata.google.internal/', 'metadata.google.internal'],
  ['barred', 'http://[fd00:ec2::254]/', 'fd00::/8'],
  ['unfit', 'http://me:secret@nas.local/', 'nas.local'],
  ['unfit', 'file://nas.local/etc/passwd', 'nas.local'],
  ['barred', 'http://10.0.0.1/', '', ' ', '/', '10.0.0.0/33', '10.0.0.0/8/8', '*', 'http://10.0.0.1/'],
];

for (const [verdict, url, ...allowed] of cases) {
  test(`${url} is ${verdict} where ${allowed.join(' and ')} is allowed, to a fetch and to the browser`, async () => {
    const opened = new URL(url);
    const reached = guardWith(...allowed).resolve(opened.hostname, portOf(opened));

    assert.equal(verdictOf(url, ...allowed), verdict);
    assert.equal(guardWith(...allowed).judge(url) === undefined, verdict === 'fit');
    if (verdict === 'barred') await assert.rejects(reached, BarredHost);
    else await reached;
  });
}
