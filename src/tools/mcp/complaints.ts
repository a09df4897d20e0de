import type { Log } from '../../base/log.ts';
import { cut } from '../tool-outcomes.ts';

const mostLines = 200;
const longestLine = 500;

/** What a server writes to stderr: into the log, within bounds, and its last line for whoever asks why it ended. */
export class Complaints {
  readonly #server: string;
  readonly #log: Log;
  #begun = '';
  #lines = 0;
  #last = '';

  constructor(server: string, log: Log) {
    this.#server = server;
    this.#log = log;
  }

  get last(): string {
    const begun = this.#begun.trim();
    return begun === '' ? this.#last : cut(begun, longestLine);
  }

  take(chunk: string): void {
    const lines = `${this.#begun}${chunk}`.split('\n');
    // Of a line that does not end no more is kept than is ever written.
    this.#begun = (lines.pop() ?? '').slice(0, longestLine + 1);
    for (const line of lines) if (line.trim() !== '') this.#write(cut(line.trim(), longestLine));
  }

  #write(line: string): void {
    this.#last = line;
    this.#lines += 1;
    if (this.#lines <= mostLines) this.#log.write('info', `the MCP server ${this.#server} wrote: ${line}`);
    if (this.#lines === mostLines) {
      this.#log.write('warn', `the MCP server ${this.#server} writes much to stderr; no more of it is kept`);
    }
  }
}
