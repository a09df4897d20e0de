import { describeBytes } from '../base/describe-bytes.ts';

/** What the Bot API takes from a bot. */
const mostBytes = 50 * 1024 * 1024;

/** Why Telegram would not take a file of this size from a bot; undefined where it would. Pure. */
export function judgeSentSize(bytes: number): string | undefined {
  if (bytes === 0) return 'it is empty';
  return bytes > mostBytes ? `it has ${describeBytes(bytes)}, and Telegram takes 50 MB from a bot` : undefined;
}
