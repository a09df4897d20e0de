/** How it stands between a channel and its platform. */
export type ChannelState =
  /** There is nothing that it could serve. */
  | { readonly type: 'absent' }
  /** The platform was asked, and has not answered yet. */
  | { readonly type: 'connecting' }
  | { readonly type: 'served' }
  /** It does not get through now, and tries again by itself. */
  | { readonly type: 'retrying'; readonly reason: string }
  /** Nothing is tried until someone does what the reason says. */
  | { readonly type: 'not-served'; readonly reason: string };

export type TellState = (state: ChannelState) => void;

export type NamedState = ChannelState & { readonly name: string };

/** Whether each has got an answer from its platform, and something can be served: a gateway that serves nothing ends by itself. */
export function isConnected(states: readonly NamedState[]): boolean {
  return states.every(({ type }) => type !== 'connecting') && states.some(({ type }) => type !== 'not-served');
}

export function isServing(states: readonly NamedState[]): boolean {
  return states.some(({ type }) => type === 'served');
}
