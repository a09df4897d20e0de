import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { HttpTransport } from '../../src/providers/http-transport.ts';
import type { Network } from '../../src/providers/http-transport.ts';
import type { TransportAnswer } from '../../src/providers/transport.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { ask, patientTimeouts, runtimeAt } from './chat-setup.ts';
import { farHost, makeCertificates, missingOpenssl, startProxy, startSecureServer } from './network-setup.ts';

type Settings = Readonly<Record<string, string>>;

async function sendTo(url: string, settings: Settings, more: Partial<Network> = {}): Promise<TransportAnswer> {
  const network: Network = { environment: (name) => settings[name], proxies: 'as-set', ...more };
  const transport = new HttpTransport({ timeouts: () => patientTimeouts, network });
  try {
    const answer = await transport.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
    if (answer.type === 'answered') await Array.fromAsync(answer.body);
    return answer;
  } finally {
    await transport.close();
  }
}

async function statusOf(url: string, settings: Settings): Promise<number | string> {
  const answer = await sendTo(url, settings);
  if (answer.type === 'answered') return answer.status;
  return 'message' in answer.failure ? answer.failure.message : answer.failure.type;
}

test('a plain request goes to the proxy with its whole address and with the credentials of the setting', async () => {
  await using server = await startModelServer([says('ok')]);
  await using proxy = await startProxy({ leadsTo: Number(new URL(server.origin).port) });

  const status = await statusOf(`http://${farHost}/v1/chat`, {
    HTTP_PROXY: `http://me:pa%24s@127.0.0.1:${proxy.port}`,
  });

  assert.equal(status, 200);
  assert.deepEqual(proxy.seen, [{ way: 'plain', target: `http://${farHost}/v1/chat`, user: 'me:pa$s' }]);
  assert.deepEqual(
    server.requests.map(({ path, body }) => [path, body]),
    [['/v1/chat', '{}']],
  );
});

test('a proxy is found under every name that people have for it, lower case first', async () => {
  await using server = await startModelServer(() => says('ok'));
  await using proxy = await startProxy({ leadsTo: Number(new URL(server.origin).port) });
  const here = `http://127.0.0.1:${proxy.port}`;
  const nowhere = 'http://127.0.0.1:1';
  const table: readonly Settings[] = [
    { HTTP_PROXY: here },
    { http_proxy: here },
    { ALL_PROXY: here },
    { all_proxy: here },
    { http_proxy: here, HTTP_PROXY: nowhere },
    { HTTP_PROXY: here, all_proxy: nowhere },
    { HTTP_PROXY: here, HTTPS_PROXY: nowhere },
    { HTTP_PROXY: `127.0.0.1:${proxy.port}` },
    { HTTP_PROXY: here, NO_PROXY: 'other.test, 10.0.0.1' },
  ];

  for (const settings of table) {
    assert.equal(await statusOf(`http://${farHost}/v1`, settings), 200, JSON.stringify(settings));
  }
  assert.equal(proxy.seen.length, table.length);
});

test('what NO_PROXY names is not sent to the proxy, nor are the names below it', async () => {
  await using proxy = await startProxy({ refusesWith: 418 });
  const settings = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const exempt: readonly Settings[] = [
    { NO_PROXY: 'model.invalid' },
    { no_proxy: 'other.test, invalid' },
    { NO_PROXY: '.invalid' },
    { NO_PROXY: '*' },
  ];

  for (const more of exempt) {
    const answer = await statusOf('http://model.invalid/v1', { ...settings, ...more });
    assert.match(String(answer), /^cannot reach model\.invalid/, JSON.stringify(more));
  }
  assert.deepEqual(proxy.seen, []);
});

test('this machine and models that are local are never behind a proxy', async () => {
  await using server = await startModelServer(() => says('ok'));
  await using proxy = await startProxy({ refusesWith: 418 });
  const settings: Settings = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };

  assert.equal(await statusOf(server.baseUrl, settings), 200);
  assert.equal(await statusOf(server.baseUrl.replace('127.0.0.1', 'localhost'), settings), 200);
  const local = await sendTo('http://model.invalid/v1', settings, { proxies: 'unused' });

  assert.equal(local.type, 'failed');
  assert.deepEqual(proxy.seen, []);
});

test('a client of a runtime uses the proxy that the environment names, unless the runtime is local', async () => {
  await using server = await startModelServer(() => says('ok'));
  await using proxy = await startProxy({ leadsTo: Number(new URL(server.origin).port) });
  const environment = (name: string): string | undefined =>
    name === 'HTTP_PROXY' ? `http://127.0.0.1:${proxy.port}` : undefined;

  for (const place of ['remote', 'local'] as const) {
    const provider = await connectRuntime(runtimeAt('http://model.invalid/v1', { place }), undefined, environment);
    const last = (await ask(provider)).at(-1);
    await provider.close();
    assert.equal(last?.type, place === 'remote' ? 'finished' : 'failed');
  }

  assert.equal(proxy.seen.length, 1);
});

test('no message shows the password of a proxy', async () => {
  const password = 'secret-of-the-proxy';
  await using refusing = await startProxy({ refusesWith: 407 });
  const table: readonly (readonly [string, string, RegExp | number])[] = [
    ['https', `http://me:${password}@127.0.0.1:${refusing.port}`, /\(the proxy answered 407; https?_proxy is 127/i],
    [
      'https',
      `http://me:${password}@127.0.0.1:1`,
      /^cannot reach model\.test \(ECONNREFUSED; HTTPS_PROXY is 127\.0\.0\.1:1\)$/,
    ],
    ['https', `http://me:${password}@`, /^HTTPS_PROXY is not the address of a proxy/],
    ['https', `socks5://me:${password}@127.0.0.1:1080`, /^HTTPS_PROXY is not .* http:\/\/ or https:\/\//],
    ['http', `http://me:${password}@127.0.0.1:${refusing.port}`, 407],
  ];
  for (const [scheme, setting, expected] of table) {
    const said = await statusOf(`${scheme}://${farHost}/v1`, { [`${scheme.toUpperCase()}_PROXY`]: setting });
    if (typeof expected === 'number') assert.equal(said, expected);
    else assert.match(String(said), expected);
    assert.equal(String(said).includes(password), false, String(said));
  }
});

test('a proxy that says nothing is a connection that does not come about', async () => {
  const clock = new ManualClock();
  await using proxy = await startProxy('says-nothing');
  const environment = (name: string): string | undefined =>
    name === 'HTTPS_PROXY' ? `http://127.0.0.1:${proxy.port}` : undefined;
  const network: Network = { environment, proxies: 'as-set' };
  const transport = new HttpTransport({ timeouts: () => patientTimeouts, clock, network });

  const answer = transport.send(
    { url: `https://${farHost}/v1`, headers: {}, body: '{}' },
    new AbortController().signal,
  );
  await clock.whenSomeoneSleeps();
  clock.advance(patientTimeouts.connectMs);

  assert.deepEqual(await answer, {
    type: 'failed',
    failure: { type: 'transport', kind: 'connect-timeout', message: `${farHost} did not take the connection in time` },
  });
  await transport.close();
});

test(
  'a server is reached over TLS through a proxy, and its own authority is believed',
  { skip: missingOpenssl },
  async () => {
    await using folder = await makeTempFolder();
    const authority = makeCertificates(folder.path);
    await using server = await startSecureServer(folder.path);
    await using proxy = await startProxy({ leadsTo: server.port });
    const proxied = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const url = `https://${farHost}/v1`;

    assert.equal(await statusOf(url, { ...proxied, NODE_EXTRA_CA_CERTS: authority }), 200);
    assert.equal(await statusOf(url, { ...proxied, SSL_CERT_FILE: authority }), 200);
    const distrusted = await sendTo(url, proxied);

    assert.deepEqual(
      distrusted.type === 'failed' && distrusted.failure.type === 'transport' && distrusted.failure.kind,
      'connect-error',
    );
    assert.deepEqual(proxy.seen[0], { way: 'connect', target: `${farHost}:443`, user: undefined });
    assert.deepEqual(server.bodies, ['{}', '{}']);
  },
);

test(
  'an own authority is believed without a proxy too, and one that cannot be read is named',
  { skip: missingOpenssl },
  async () => {
    await using folder = await makeTempFolder();
    const authority = makeCertificates(folder.path);
    await using server = await startSecureServer(folder.path);
    const url = `https://127.0.0.1:${server.port}/v1`;

    assert.equal(await statusOf(url, { NODE_EXTRA_CA_CERTS: authority }), 200);
    assert.match(String(await statusOf(url, {})), /^cannot reach 127\.0\.0\.1:\d+ \([A-Z_]+\)$/);
    assert.match(
      String(await statusOf(url, { SSL_CERT_FILE: join(folder.path, 'missing.pem') })),
      /^the certificates of SSL_CERT_FILE cannot be read: ENOENT/,
    );
  },
);

test('the way through a proxy is kept from one call to the next', { skip: missingOpenssl }, async () => {
  await using folder = await makeTempFolder();
  const authority = makeCertificates(folder.path);
  await using server = await startSecureServer(folder.path);
  await using proxy = await startProxy({ leadsTo: server.port });
  const settings: Settings = { https_proxy: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: authority };
  const network: Network = { environment: (name) => settings[name], proxies: 'as-set' };
  const transport = new HttpTransport({ timeouts: () => patientTimeouts, network });

  for (let call = 0; call < 3; call += 1) {
    const request = { url: `https://${farHost}/v1`, headers: {}, body: String(call) };
    const answer = await transport.send(request, new AbortController().signal);
    if (answer.type === 'answered') await Array.fromAsync(answer.body);
  }
  await transport.close();

  assert.deepEqual([server.bodies, proxy.seen.length], [['0', '1', '2'], 1]);
});
