import { shortId } from '../base/ids.ts';
import type { SessionId } from '../base/ids.ts';

/** The command that finds a session whatever was talked in since. Pure. */
export function wayById(id: SessionId): string {
  return `talaria -r ${shortId(id)}`;
}

/** The same where the session may be unknown: then it is the one that was talked in last. Pure. */
export function wayToGoOn(id: SessionId | undefined): string {
  return id === undefined ? 'talaria -c' : wayById(id);
}
