import { resolve } from 'node:path';

/** The folder that new chats work in, as the settings name it: the user's home unless they do. Pure. */
export function chatFolder(workdir: string | undefined, userHome: string): string {
  return resolve(userHome, (workdir ?? '.').replace(/^~(?=\/|$)/, userHome));
}
