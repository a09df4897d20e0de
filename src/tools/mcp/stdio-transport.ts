import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describeBytes } from '../../base/describe-bytes.ts';
import { GuardedProcess } from './guarded-process.ts';
import type { GuardedCommand } from './guarded-process.ts';
import { MessageLines } from './message-lines.ts';

const largestMessage = 32 * 1024 * 1024;
const mostGarbage = 1000;

/**
 * Speaks with a program on its stdin and stdout, a message a line. What it writes is bounded: a message that does not end,
 * or line after line that is no message, ends the program.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #command: GuardedCommand;
  readonly #onComplaint: (chunk: string) => void;
  readonly #lines = new MessageLines(largestMessage);
  #process: GuardedProcess | undefined;
  #garbage = 0;
  #fault: string | undefined;

  constructor(command: GuardedCommand, onComplaint: (chunk: string) => void) {
    this.#command = command;
    this.#onComplaint = onComplaint;
  }

  /** How the program ended, or why we ended it. Only after `start`. */
  async whyEnded(): Promise<string> {
    const end = await this.#process?.ended;
    return this.#fault ?? end ?? 'it was never started';
  }

  start(): Promise<void> {
    const process = new GuardedProcess(this.#command);
    this.#process = process;
    process.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    process.stderr.setEncoding('utf8');
    process.stderr.on('data', this.#onComplaint);
    void process.ended.then(() => this.onclose?.());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    // Not waited for: one that does not read is noticed by the time limit of what it is asked.
    this.#process?.stdin.write(serializeMessage(message));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#process?.stop();
  }

  #read(chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    const read = this.#lines.take(chunk);
    if (read.type === 'too-long') {
      this.#giveUp(`it wrote a message of more than ${describeBytes(largestMessage)}`);
      return;
    }
    for (const line of read.lines) this.#take(line);
  }

  #take(line: string): void {
    if (this.#fault !== undefined || line.trim() === '') return;
    const message = readMessage(line);
    if (message !== undefined) {
      this.#garbage = 0;
      this.onmessage?.(message);
      return;
    }
    // A few are forgiven: programs greet, and package managers talk.
    this.#garbage += 1;
    if (this.#garbage > mostGarbage) this.#giveUp('it writes to stdout what is no message');
  }

  #giveUp(fault: string): void {
    this.#fault = fault;
    this.#process?.kill();
  }
}

function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined; // counted by the caller
  }
}
