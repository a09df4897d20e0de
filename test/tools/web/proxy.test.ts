import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  farHost,
  makeCertificates,
  missingOpenssl,
  startProxy,
  startSecureServer,
} from '../../providers/network-setup.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { movedTo, startWebSite } from '../../support/web-site.ts';
import { openToolBench } from '../open-toolbox.ts';

test('behind a proxy a page is read through it, though this machine does not know the name', async () => {
  await using site = await startWebSite({ '/page': { type: 'text/plain', body: 'far away' } });
  await using proxy = await startProxy({ leadsTo: site.port });
  await using bench = await openToolBench({ environment: { HTTP_PROXY: `http://me:pw@localhost:${proxy.port}` } });

  const text = await bench.run('web_fetch', { url: `http://${farHost}/page` });

  assert.match(text, /from="http:\/\/model\.test\/page">\n.*\nfar away\n/);
  assert.deepEqual(proxy.seen, [{ way: 'plain', target: `http://${farHost}/page`, user: 'me:pw' }]);
});

test(
  'behind a proxy a page by TLS is read through it, and its certificate is checked',
  { skip: missingOpenssl },
  async () => {
    await using folder = await makeTempFolder();
    const authority = makeCertificates(folder.path);
    await using server = await startSecureServer(folder.path);
    await using proxy = await startProxy({ leadsTo: server.port });
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    await using knowing = await openToolBench({ environment: { ...environment, SSL_CERT_FILE: authority } });
    await using unknowing = await openToolBench({ environment });
    const url = `https://${farHost}/`;

    assert.match(await knowing.run('web_fetch', { url }), /\nok\n/);
    assert.match(
      await unknowing.run('web_fetch', { url }),
      /^ERROR: cannot reach model\.test \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/,
    );
    assert.deepEqual(proxy.seen[0], { way: 'connect', target: `${farHost}:443`, user: undefined });
  },
);

test('behind a proxy the proxy is not asked for an address, or for a name, that leads to a private network', async () => {
  await using site = await startWebSite({});
  await using proxy = await startProxy({ leadsTo: site.port });
  const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using bench = await openToolBench({ environment, names: () => ['10.1.2.3'] });

  for (const host of ['10.1.2.3', '169.254.169.254', 'nas.local', 'wiki', 'looks-public.example'])
    assert.match(await bench.run('web_fetch', { url: `http://${host}/` }), /^REFUSED: /, host);
  assert.deepEqual(proxy.seen, []);
});

test('behind a proxy a page that leads on to a private address is not followed there', async () => {
  await using site = await startWebSite({ '/': movedTo('http://192.168.1.1/') });
  await using proxy = await startProxy({ leadsTo: site.port });
  await using bench = await openToolBench({ environment: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } });

  assert.match(
    await bench.run('web_fetch', { url: `http://${farHost}/` }),
    /^REFUSED: model\.test led on: 192\.168\.1\.1 is not/,
  );
  assert.equal(proxy.seen.length, 1);
});

test('behind a proxy a host that the proxy is not for is reached at a checked address, or not at all', async () => {
  await using site = await startWebSite({ '/': { type: 'text/plain', body: 'direct' } });
  await using proxy = await startProxy({ leadsTo: site.port });
  const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'near.example' };
  const asked: string[] = [];
  await using bench = await openToolBench({
    environment,
    search: { allowPrivate: ['127.0.0.1'] },
    // Each fetch looks twice: before a proxy would be asked, and when the connection is made. The fourth look differs.
    names: (host) => [asked.push(host) <= 3 ? '127.0.0.1' : '127.0.0.2'],
  });
  const url = `http://near.example:${site.port}/`;

  assert.match(await bench.run('web_fetch', { url }), /\ndirect\n/);
  assert.match(await bench.run('web_fetch', { url }), /^REFUSED: near\.example is not on the public internet/);
  assert.deepEqual(proxy.seen, []);
  assert.equal(site.connections(), 1);
});

test('behind a proxy a proxy that turns us away is an error', async () => {
  await using proxy = await startProxy({ refusesWith: 403 });
  await using bench = await openToolBench({ environment: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });

  assert.match(
    await bench.run('web_fetch', { url: `https://${farHost}/` }),
    /^ERROR: cannot reach model\.test \(ERR_PROXY_TUNNEL\)$/,
  );
});
