import { chatWith } from '../channels/telegram/chat-with.ts';
import type { PersonId } from '../base/ids.ts';
import type { WordForPeople } from '../gateway/people-desk.ts';
import type { Address } from '../model/session.ts';
import { chatFolder } from './chat-folder.ts';
import type { AppParts } from './parts.ts';

const wordLifeMs = 7 * 24 * 60 * 60 * 1000;

/** What people are to be told while no gateway runs: it waits in the outbox, and the next start sends it. */
export function openWordForPeople({ env, secrets, settings, store, clock }: AppParts): WordForPeople {
  const { telegram } = settings.current.config;
  const account = secrets.get(telegram.tokenEnv)?.split(':')[0];
  const chatOf = (person: PersonId): Address | undefined =>
    account === undefined ? undefined : chatWith(person, account);
  return {
    async leave(person, text, { sessions, outbox }) {
      const address = chatOf(person);
      if (address === undefined) return;
      const workdir = chatFolder(telegram.workdir, env['HOME'] ?? '/');
      const { id: sessionId } = await sessions.at({ address, person, workdir });
      await outbox.enqueue({ sessionId, address, kind: 'notice', text, notAfter: clock.now() + wordLifeMs });
    },
    async takeBack(person, text) {
      const address = chatOf(person);
      if (address === undefined) return;
      const now = clock.now();
      for (const { message } of await store.outbox.due(address.platform, now, address))
        if (message.text === text)
          await store.outbox.settle(message.id, { type: 'refused', reason: 'taken back' }, now);
    },
  };
}
