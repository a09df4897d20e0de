import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalSettings } from '../../../src/model/terminal-settings.ts';
import { needsSandbox, sandboxed } from '../../support/sandbox.ts';
import { openToolBench } from '../open-toolbox.ts';

test(
  'people are told whether a folder has a sandbox, and whether another one would',
  await needsSandbox(),
  async () => {
    await using bench = await openToolBench({ sandbox: sandboxed });
    const { toolbox, place, userHome } = bench;

    const here = await toolbox.describeFence(place);
    const atHome = await toolbox.describeFence({ ...place, workdir: userHome });

    assert.deepEqual(here, { text: 'in force: commands stay in this folder, without network', cause: undefined });
    assert.deepEqual(atHome, {
      text: `none: ${userHome} is a whole home or a folder of the system; commands are asked about`,
      cause: 'folder',
    });
  },
);

test('where it is switched off, or commands run elsewhere, no other folder is advised', async () => {
  await using off = await openToolBench();
  await using there = await openToolBench({
    terminal: { backend: 'docker', docker: terminalSettings({ docker: { image: 'debian:13' } }).docker },
  });

  assert.deepEqual(await off.toolbox.describeFence(off.place), {
    text: 'none: it is switched off; commands are asked about',
    cause: 'system',
  });
  assert.match(
    (await there.toolbox.describeFence(there.place))?.text ?? '',
    /^in force: commands run in a container of/,
  );
});
