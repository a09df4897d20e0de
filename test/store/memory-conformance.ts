import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Memory } from '../../src/model/store.ts';

export interface MemoryHouse extends AsyncDisposable {
  /** Opens the same memory again, as another start of the program would. */
  open(): Memory;
}

/** Holds a memory to what the port promises. */
export function describeMemoryConformance(name: string, make: () => Promise<MemoryHouse>): void {
  describe(name, () => {
    test('nothing is remembered at first', async () => {
      await using house = await make();

      assert.deepEqual(await house.open().load(), []);
    });

    test('what is saved is there at the next start, in a fixed order, and the last text wins', async () => {
      await using house = await make();
      const text = 'likes\r\n"quotes" 😀\n';

      await house.open().save('USER.md', 'old');
      await house.open().save('USER.md', text);
      await house.open().save('MEMORY.md', '');

      assert.deepEqual(await house.open().load(), [
        { name: 'MEMORY.md', text: '' },
        { name: 'USER.md', text },
      ]);
    });

    test('any other name is refused', async () => {
      await using house = await make();

      for (const other of ['../USER.md', 'user.md', 'config.yaml', '', '/etc/passwd'])
        await assert.rejects(house.open().save(other, 'x'), { code: 'bad-usage' });
      assert.deepEqual(await house.open().load(), []);
    });
  });
}
