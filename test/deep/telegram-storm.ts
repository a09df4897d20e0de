import { test } from 'node:test';
import { weatherStorm } from '../cli/gateway/telegram-storm.ts';

const chats = Math.round(Number(process.env['TALARIA_DEEP'] ?? 10_000) / 10);
const seed = Number(process.env['TALARIA_SEED'] ?? Date.now() % 1_000_000_000);
const size = { chats, messages: 20, faultsInAThousand: 20 };

test(`with ${chats} people on Telegram who say 20 things each, from seed ${seed} on, every message is answered once through faults and two kills`, async (t) => {
  const begun = performance.now();

  const report = await weatherStorm(size, seed);

  t.diagnostic(JSON.stringify({ ...report, seconds: Math.round((performance.now() - begun) / 1000) }));
});
