import type { InboundKey } from './channel.ts';
import type { TaskNews } from './tool.ts';

/** The key under which it is noted that the model, or the people in the chat, were told of something: each once, for good. */
export function newsKey({ sessionId, key }: TaskNews, told: 'model' | 'people'): InboundKey {
  return { platform: 'task', account: told, chat: sessionId, messageId: key, revision: 0 };
}
