import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  badUses,
  doesAll,
  everyToolSettings,
  findMisread,
  goodUses,
  offeredTools,
  startToolSite,
} from '../../support/every-tool.ts';
import { openDesk } from '../support/program.ts';

test('in the terminal the model uses every tool that it is offered, and is told what is wrong with every bad call', async () => {
  await using site = await startToolSite();
  const good = goodUses(site, { answered: /^Nobody can be asked here\. Decide/, sent: /^Handed over to terminal:/ });
  const uses = [...good, ...badUses(site)];
  await using desk = await openDesk(doesAll(uses));
  const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' };
  await desk.setConfig({ model, ...everyToolSettings(site, desk.home) });

  const { stdout, stderr, code } = await desk.run(['run', '--yes', 'go'], { longestMs: 120_000 });

  assert.deepEqual(findMisread(uses, desk.server.requests), []);
  assert.deepEqual([stdout, code], ['That was all.\n', 0]);
  assert.match(stderr, /^A word besides\.$/m);
  assert.deepEqual(new Set(good.map(({ tool }) => tool)), new Set(offeredTools(desk.server.requests[0])));
});
