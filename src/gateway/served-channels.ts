import type { Channel } from '../model/channel.ts';
import type { Address } from '../model/session.ts';
import { showOnAll } from './show-on-all.ts';

/** The channels that are served at the moment. Terminals come and go. */
export class ServedChannels {
  readonly #channels: Set<Channel>;

  constructor(channels: readonly Channel[]) {
    this.#channels = new Set(channels);
  }

  /** Serves one more until it leaves. */
  join(channel: Channel): Disposable {
    this.#channels.add(channel);
    return { [Symbol.dispose]: () => void this.#channels.delete(channel) };
  }

  /** All that show an address, as one. */
  at(address: Address): Channel | undefined {
    const serving = [...this.#channels].filter(({ name }) => name === address.platform);
    const [first, ...others] = serving.filter((channel) => channel.serves(address));
    return first && showOnAll([first, ...others]);
  }
}
