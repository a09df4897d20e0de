import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Where the home is: `$TALARIA_HOME`, or `.talaria` in the user's own folder. `bin/talaria.js` has a copy of this rule. */
export function homePath(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env['TALARIA_HOME'] ?? '';
  if (chosen !== '') return resolve(chosen);
  const userHome = env['HOME'] ?? '';
  return resolve(userHome === '' ? homedir() : userHome, '.talaria');
}
