import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describeError, systemErrorCode } from '../../base/errors.ts';

const mostLines = 1000;
const onlyOwner = { mode: 0o600 } as const;

/** What was typed in earlier chats and in this one. Where it cannot be kept, that is said once, and the chat goes on. */
export class HistoryFile {
  readonly #path: string;
  readonly #report: (problem: string) => void;
  #isUsable = true;

  constructor(path: string, report: (problem: string) => void) {
    this.#path = path;
    this.#report = report;
  }

  /** The lines so far, newest last. */
  read(): readonly string[] {
    return this.#attempt(() => readNewest(this.#path)) ?? [];
  }

  add(line: string): void {
    this.#attempt(() => appendFileSync(this.#path, `${line}\n`, onlyOwner));
  }

  #attempt<Result>(act: () => Result): Result | undefined {
    if (!this.#isUsable) return undefined;
    try {
      return act();
    } catch (thrown) {
      this.#isUsable = false;
      this.#report(`what is typed here is not kept for the next chat: ${describeError(thrown)}`);
      return undefined;
    }
  }
}

function readNewest(path: string): readonly string[] {
  const lines = readLines(path);
  if (lines.length <= mostLines) return lines;
  const newest = lines.slice(-mostLines);
  const fresh = `${path}.new`;
  writeFileSync(fresh, `${newest.join('\n')}\n`, onlyOwner);
  renameSync(fresh, path);
  return newest;
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}
