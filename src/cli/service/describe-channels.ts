import type { NamedState } from '../../model/channel-state.ts';

/** The channels that people can use, or will be able to in a moment. */
export function nameServed(states: readonly NamedState[]): string {
  const served = states.filter(({ type }) => type === 'served' || type === 'connecting').map(({ name }) => name);
  return served.length === 0 ? 'nothing yet' : served.join(', ');
}

/** What keeps a channel from being used; undefined where nothing does. */
export function describeTrouble(state: NamedState): string | undefined {
  switch (state.type) {
    case 'served':
    case 'absent':
      return undefined;
    case 'connecting':
      return 'being connected';
    case 'retrying':
      return `not reached, and tried again: ${state.reason}`;
    case 'not-served':
      return `not served: ${state.reason}`;
  }
}

/** A line for each channel that cannot be used now. */
export function listTroubles(states: readonly NamedState[]): readonly string[] {
  return states.flatMap((state) => {
    const trouble = describeTrouble(state);
    return trouble === undefined ? [] : [`${state.name}: ${trouble}`];
  });
}
