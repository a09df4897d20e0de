import { createKeyRedactor } from '../base/redact.ts';
import type { Background } from '../model/background.ts';
import { loadSecrets } from '../store/home/env-file.ts';
import { openHome } from '../store/home/home-folder.ts';
import { FileMcpLogins } from '../store/home/mcp-logins.ts';
import { createBackgroundDesk } from '../tools/processes/background-desk.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The background processes of all sessions, without opening the store. */
export async function openProcessDesk({ env }: Around): Promise<Background> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const logins = new FileMcpLogins(home.mcpLogins);
  const redact = createKeyRedactor(() => [...secrets.values(), ...logins.secrets()]);
  return createBackgroundDesk({ taskFolder: home.tasks, redact });
}
