import { spawnSync } from 'node:child_process';

// The super-user reads and writes whatever the permissions say, by these two.
const setpriv = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
const isBound = process.getuid?.() !== 0;

/** Why no program can be started here that permissions of files hold back, or false. */
export const noBoundRights: string | false =
  isBound || spawnSync(setpriv[0] ?? '', [...setpriv.slice(1), 'true']).status === 0
    ? false
    : 'root is held back by no permission without setpriv';

/** A command line that permissions of files hold back, whoever runs it. */
export function heldBack(line: readonly string[]): readonly string[] {
  return isBound ? line : [...setpriv, ...line];
}
