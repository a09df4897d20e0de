import type { SessionId } from '../../base/ids.ts';
import type { CommandStore } from '../app-port.ts';
import type { GatewayLink } from './gateway-link.ts';

/** The store as the gateway reads and changes it. Says up to where the log of a session was read. */
export function createAttachedStore(
  link: Pick<GatewayLink, 'call'>,
  onRead: (sessionId: SessionId, seq: number) => void,
): CommandStore {
  return {
    sessions: {
      // A program has one seat, and asks for no session but its own.
      at: () => link.call('seat.session', {}),
      resume: (sessionId) => link.call('sessions.resume', { sessionId }),
      matching: (idPrefix) => link.call('sessions.matching', { idPrefix }),
      list: ({ platform, stage, limit }) => link.call('sessions.list', { platform, stage, limit }),
      delete: (sessionId) => link.call('sessions.delete', { sessionId }),
    },
    turns: {
      async after(sessionId, seq) {
        const entries = await link.call('turns.after', { sessionId, seq });
        const last = entries.at(-1);
        if (last !== undefined) onRead(sessionId, last.seq);
        return entries;
      },
      unsettled: (sessionId) => link.call('turns.unsettled', { sessionId }),
      consents: (limit) => link.call('turns.consents', { limit }),
    },
    search: {
      find: (query, limit) => link.call('search.find', { query, limit }),
      lastSaid: (platform, limit) => link.call('search.lastSaid', { platform, limit }),
    },
    blobs: { read: (sessionId, blob) => link.call('blobs.read', { sessionId, blob }) },
    usages: { list: ({ sessionId, since }) => link.call('usages.list', { sessionId, since }) },
  };
}
