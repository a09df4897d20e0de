import type { Channel } from '../model/channel.ts';
import type { ChannelState, NamedState, TellState } from '../model/channel-state.ts';

/** How it stands with each channel, by what it said last. */
export class ChannelStates {
  readonly #states: Map<Channel, ChannelState>;
  #changed = Promise.withResolvers<void>();

  constructor(channels: readonly Channel[]) {
    this.#states = new Map(channels.map((channel) => [channel, { type: 'connecting' }]));
  }

  /** Without those that have nothing to serve. */
  list(): readonly NamedState[] {
    return [...this.#states].map(([{ name }, state]) => ({ name, ...state })).filter(({ type }) => type !== 'absent');
  }

  tellerOf(channel: Channel): TellState {
    return (state) => {
      this.#states.set(channel, state);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    };
  }

  /** Resolves once it stands so; never, where it does not come to that. */
  async when(isSo: (states: readonly NamedState[]) => boolean): Promise<void> {
    while (!isSo(this.list())) await this.#changed.promise;
  }
}
