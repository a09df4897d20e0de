import type { Figure } from './figure.ts';
import { median, runToEnd } from './measure.ts';
import type { Command } from './measure.ts';
import type { Product } from './product.ts';

const rounds = 15;

// Reads the kernel's own high-water mark at the very end; loaded into both programs alike, and into nothing else.
const report = `process.on('exit', () => process.getBuiltinModule('node:fs').writeSync(2, 'peak ' + process.resourceUsage().maxRSS + ' kB'))`;

/** The most memory that a one-shot turn holds at any time, beside an empty program. */
export async function measureMemory(product: Product): Promise<readonly Figure[]> {
  const empty = await product.writeBare('empty.mjs', '');
  const floors: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await peakOf(empty));
    peaks.push(await peakOf(product.talaria(['run', 'say hi'])));
  }
  return [
    {
      name: 'peak memory of a one-shot turn',
      value: median(peaks),
      unit: 'MB',
      floor: { name: 'an empty program', value: median(floors) },
      bar: { type: 'times-floor', most: 2 },
    },
  ];
}

async function peakOf(command: Command): Promise<number> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(report)}`;
  const { complaints } = await runToEnd({ ...command, args: [preload, ...command.args] });
  const kilobytes = /peak (\d+) kB/.exec(complaints)?.[1];
  if (kilobytes === undefined) throw new Error('the program did not report its memory');
  return Number(kilobytes) / 1024;
}
