import type { ChatParts } from './chat-parts.ts';

const mostMessages = 200;

/**
 * What the arrow keys bring back of earlier chats, newest first. It comes from the sessions themselves, so that nothing of
 * a deleted one is left. A message of several lines was pasted or piped, and none of its lines means much alone.
 */
export async function linesToBringBack({ app, place }: Pick<ChatParts, 'app' | 'place'>): Promise<readonly string[]> {
  const said = await app.store.search.lastSaid(place.seat.address.platform, mostMessages);
  return said.filter((text) => !text.includes('\n'));
}
