import { test } from 'node:test';
import { checkBackgroundFlood, checkForegroundFlood } from '../tools/large-output.ts';

const gigabyte = 1_000_000_000;

test('TERM-10 of a gigabyte of output the ends are kept, the rest is counted, and memory stays bounded', async () => {
  await checkForegroundFlood(gigabyte);
});

test('of a gigabyte of a background process the head and the end are kept, little is on the disk, and memory stays bounded', async () => {
  await checkBackgroundFlood(gigabyte);
});
