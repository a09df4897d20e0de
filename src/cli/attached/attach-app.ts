import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Channel } from '../../model/channel.ts';
import type { App, Seat } from '../app-port.ts';
import { createAttachedStore } from './attached-store.ts';
import { AttachedTerminal } from './attached-terminal.ts';
import { openGatewayLine } from './gateway-line.ts';
import { GatewayLink } from './gateway-link.ts';

export interface AttachOptions {
  /** Where the gateway listens. */
  readonly socketPath: string;
  /** What is wrong with the settings as the file has them now; the gateway knows how they were at its start. */
  readonly warnings?: readonly string[];
  /** Instead of the configured model, for the session that is talked to. */
  readonly model: string | undefined;
  readonly createChannel: (seat: Seat & { readonly newMessageId: () => string }) => Channel;
  readonly clock: Clock;
}

/** The program as the gateway serves it; this process is only its screen and keyboard. Undefined where none listens. */
export async function attachApp(options: AttachOptions): Promise<App | undefined> {
  const { socketPath, model, createChannel, clock, warnings = [] } = options;
  const link = new GatewayLink({ connect: (events) => openGatewayLine(socketPath, events), clock });
  const line = await link.open();
  if (line === undefined) return undefined;
  const read = new Map<SessionId, number>();
  const closing = new AsyncDisposableStack();
  closing.defer(() => link.close());
  return {
    store: createAttachedStore(link, (sessionId, seq) => read.set(sessionId, seq)),
    catalogue: {
      cost: (runtime, usage, at, cacheLife) => link.call('catalogue.cost', { runtime, usage, at, cacheLife }),
      price: (runtime, at) => link.call('catalogue.price', { runtime, at }),
    },
    warnings: [...new Set([...line.warnings, ...warnings])],
    leftTurns: 'go-on',
    unfinishedIn: async (sessionId) => ((await link.call('session.isAtWork', { sessionId })) ? 'at-work' : 'left'),
    async serveTerminal(seat, settings) {
      const channel = createChannel({ ...seat, newMessageId: () => newId('turn', clock.now()) });
      const terminal = closing.use(new AttachedTerminal({ link, channel, seat, read, clock }));
      return await terminal.begin({ model, sessionModel: settings?.model });
    },
    endTask: (sessionId) => link.call('session.endTask', { sessionId }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
