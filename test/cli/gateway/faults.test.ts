import { test } from 'node:test';
import { weatherStorm } from './telegram-storm.ts';

const size = { chats: 50, messages: 10, faultsInAThousand: 30 };
const seed = Number(process.env['TALARIA_SEED'] ?? Date.now() % 1_000_000_000);

const title = `through faults, duplicates and two kills, from seed ${seed} on, every message is answered once, in order; a second copy is marked; prefixes stay`;

test(title, { timeout: 240_000 }, async (t) => {
  t.diagnostic(JSON.stringify(await weatherStorm(size, seed)));
});
