import type { Channel, ChannelTraits, Outbound, Receipt } from '../../model/channel.ts';
import { addressKey } from '../../model/session.ts';
import type { Address } from '../../model/session.ts';
import type { FrameWriter } from './frame-writer.ts';

export interface SeatOptions {
  readonly address: Address;
  readonly workdir: string;
  readonly asks: ChannelTraits['asks'];
}

/** The terminal of another process as a channel. What is typed there comes in calls; what is shown goes out in frames. */
export class AttachedSeat implements Channel {
  readonly name: string;
  readonly traits: ChannelTraits;
  readonly address: Address;
  readonly workdir: string;
  readonly #key: string;
  readonly #writer: FrameWriter;

  constructor({ address, workdir, asks }: SeatOptions, writer: FrameWriter) {
    this.name = address.platform;
    this.traits = { maxLength: Infinity, resend: 'same-key', asks, streams: 'yes', answers: 'at-once' };
    this.address = address;
    this.workdir = workdir;
    this.#key = addressKey(address);
    this.#writer = writer;
  }

  serves(address: Address): boolean {
    return addressKey(address) === this.#key;
  }

  async *receive(): AsyncGenerator<never, void> {}

  /** On its way is sent: what a terminal that dies has not shown, the next one at this address finds in the log. */
  send(message: Outbound): Promise<Receipt> {
    this.#writer.push({ type: 'show', message });
    return Promise.resolve({ type: 'sent', platformId: message.id });
  }

  /** A terminal watches the turn itself. */
  preview(): Promise<void> {
    return Promise.resolve();
  }

  conclude(question: Outbound, _platformId: string, ending: string): Promise<void> {
    this.#writer.push({ type: 'concluded', question, ending });
    return Promise.resolve();
  }
}
