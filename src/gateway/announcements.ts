import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { mayBeTold } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { Tellings } from './tellings.ts';

export interface HomeChatDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'homeChats'>;
  readonly serves: (address: Address) => boolean;
  readonly log: Log;
}

export interface AnnouncementDeps extends HomeChatDeps {
  readonly tellings: Pick<Tellings, 'tell'>;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
}

/** Tells whoever runs the program, and the chat that wished to hear what belongs to no chat. Never rejects. */
export async function announce(text: string, deps: AnnouncementDeps): Promise<void> {
  deps.report(text);
  const home = await findHomeChat(deps);
  if (home !== undefined) deps.tellings.tell(home, text);
}

/** The chat that wished to hear what belongs to no chat, where it is served and may hear it. Never rejects. */
export async function findHomeChat(deps: HomeChatDeps): Promise<Address | undefined> {
  try {
    for (const home of await deps.store.homeChats.list())
      if (deps.serves(home.address) && (await mayBeTold(home, deps))) return home.address;
  } catch (thrown) {
    deps.log.write('error', 'the home chat was not told', { reason: describeError(thrown) });
  }
  return undefined;
}
