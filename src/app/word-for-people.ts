import { chatWith } from '../channels/telegram/chat-with.ts';
import type { PersonId } from '../base/ids.ts';
import type { WordForPeople } from '../gateway/people-desk.ts';
import type { Address } from '../model/session.ts';
import { chatFolder } from './chat-folder.ts';
import type { AppParts } from './parts.ts';

const wordLifeMs = 7 * 24 * 60 * 60 * 1000;

type FindChat = (person: PersonId) => Address | undefined;

/**
 * What people are to be told: it waits in the outbox, for the gateway that runs or for the next start. Without a gateway the token
 * says whose chats they are.
 */
export function openWordForPeople(parts: AppParts, chatOf: FindChat = chatsOfToken(parts)): WordForPeople {
  const { env, settings, store, clock } = parts;
  return {
    async leave(person, text, { sessions, outbox }) {
      const address = chatOf(person);
      if (address === undefined) return;
      const workdir = chatFolder(settings.current.config.telegram.workdir, env['HOME'] ?? '/');
      const { id: sessionId } = await sessions.at({ address, person, workdir });
      await outbox.enqueue({ sessionId, address, kind: 'notice', text, notAfter: clock.now() + wordLifeMs });
    },
    async takeBack(person, text) {
      const address = chatOf(person);
      const session = address && (await store.sessions.find(address));
      if (session === undefined) return;
      // What waits to be tried again is among them, and what has arrived stays as it is.
      for (const { message } of await store.outbox.after(session.id, 0))
        if (message.text === text)
          await store.outbox.settle(message.id, { type: 'refused', reason: 'taken back' }, clock.now());
    },
  };
}

function chatsOfToken({ secrets, settings }: AppParts): FindChat {
  const account = secrets.get(settings.current.config.telegram.tokenEnv)?.split(':')[0];
  return (person) => (account === undefined ? undefined : chatWith(person, account));
}
