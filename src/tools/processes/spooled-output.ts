import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { systemErrorCode } from '../../base/errors.ts';
import { headBytes } from '../shell/output-file.ts';
import type { ProcessTicket } from './process-ticket.ts';

/** A piece of the output of a process. Offsets count bytes from its beginning, those that were dropped included. */
export interface OutputPiece {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** How much there is by now. */
  readonly total: number;
}

const mostEndBytes = 40_000;
const mostTries = 50;
const betweenTriesMs = 20;

/** The output from an offset on, at most so many bytes of it; what is no longer kept is passed over. */
export async function readOutputFrom(ticket: ProcessTicket, offset: number, most: number): Promise<OutputPiece> {
  return await readSteadily(ticket, (spool) => {
    const from = spool.skipDropped(Math.min(offset, spool.total));
    const kept = from < headBytes && spool.dropped > 0 ? headBytes - from : most;
    return withoutHalfCharacter(spool.read(from, Math.min(most, kept)));
  });
}

/** The next piece begins with the character that this one would cut in two. */
function withoutHalfCharacter(piece: OutputPiece): OutputPiece {
  const { bytes, from, to, total } = piece;
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const isHalf = to < total && start > 0 && characterBytes(bytes[start] ?? 0) > bytes.length - start;
  return isHalf ? { ...piece, bytes: bytes.subarray(0, start), to: from + start } : piece;
}

/** How many bytes a character takes, by the first of them. */
function characterBytes(first: number): number {
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The end of the output, at most so many bytes of it. */
export async function readOutputEnd(ticket: ProcessTicket, most: number): Promise<OutputPiece> {
  return await readSteadily(ticket, (spool) => {
    const from = Math.max(0, spool.total - most);
    // A tail that is shorter than what is asked for is not filled up from before the gap.
    return spool.read(spool.dropped > 0 ? Math.max(from, headBytes + spool.dropped) : from, most);
  });
}

/** The last lines of the output, with a word about what came before, and where they stand in it. */
export async function readLastLines(
  ticket: ProcessTicket,
  lines: number,
): Promise<{ readonly text: string; readonly piece: OutputPiece }> {
  const piece = await readOutputEnd(ticket, mostEndBytes);
  const all = toPlainText(piece.bytes).replace(/\n+$/, '').split('\n');
  // The first line of a piece from the middle is most likely half of one.
  const whole = piece.from > 0 && all.length > 1 ? all.slice(1) : all;
  const shown = whole.slice(-lines);
  const left = piece.from > 0 || shown.length < all.length ? ['[what came before is left out]'] : [];
  return { text: [...left, ...shown].join('\n'), piece };
}

/** The supervisor may be taking the middle out just now: then what was read is read again. */
async function readSteadily(ticket: ProcessTicket, read: (spool: Spool) => OutputPiece): Promise<OutputPiece> {
  for (let tries = 1; ; tries += 1) {
    const isLastTry = tries === mostTries;
    if (isLastTry || !ticket.isDropping()) {
      using spool = new Spool(ticket);
      const piece = read(spool);
      if (isLastTry || (!ticket.isDropping() && ticket.dropped() === spool.dropped)) return piece;
    }
    await pause(betweenTriesMs);
  }
}

class Spool implements Disposable {
  readonly dropped: number;
  readonly total: number;
  readonly #file: number | undefined;

  constructor(ticket: ProcessTicket) {
    this.dropped = ticket.dropped();
    this.#file = openIfThere(ticket.outputFile);
    this.total = this.#file === undefined ? 0 : fstatSync(this.#file).size + this.dropped;
  }

  skipDropped(offset: number): number {
    return offset < headBytes ? offset : Math.max(offset, headBytes + this.dropped);
  }

  read(from: number, most: number): OutputPiece {
    const bytes = Buffer.alloc(Math.max(0, Math.min(most, this.total - from)));
    const position = from < headBytes ? from : from - this.dropped;
    const length = this.#file === undefined ? 0 : readSync(this.#file, bytes, { position });
    return { bytes: bytes.subarray(0, length), from, to: from + length, total: this.total };
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
    return undefined;
  }
}

/** Output as text that can be read without a terminal: of a line that was written over, what stood there last. */
export function toPlainText(bytes: Buffer): string {
  const text = stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\r\n', '\n');
  const lines = text.split('\n').map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1));
  const shown = lines.join('\n');
  // oxlint-disable-next-line no-control-regex -- these are the characters to take out
  return shown.replaceAll(/[\0-\u0008\u000B-\u001F\u007F]/g, '').toWellFormed();
}
