import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { mayBeTold } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { Tellings } from './tellings.ts';

export interface AnnouncementDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'homeChats'>;
  readonly serves: (address: Address) => boolean;
  readonly tellings: Pick<Tellings, 'tell'>;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
  readonly log: Log;
}

/** Tells whoever runs the program, and the chat that wished to hear what belongs to no chat. Never rejects. */
export async function announce(text: string, deps: AnnouncementDeps): Promise<void> {
  deps.report(text);
  try {
    for (const home of await deps.store.homeChats.list()) {
      if (deps.serves(home.address) && (await mayBeTold(home, deps))) return deps.tellings.tell(home.address, text);
    }
  } catch (thrown) {
    deps.log.write('error', 'the home chat was not told', { reason: describeError(thrown) });
  }
}
