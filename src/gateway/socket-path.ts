import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { socketName } from './gateway-status.ts';
import type { Keeper } from './gateway-status.ts';

// The length of `sun_path`, without the zero at its end.
const longestPath = { linux: 107, other: 103 } as const;

/** How many bytes the path of a socket may have. */
export function longestSocketPath(platform: NodeJS.Platform): number {
  return platform === 'linux' ? longestPath.linux : longestPath.other;
}

export interface SocketCheckDeps {
  readonly platform: NodeJS.Platform;
  readonly keeper: Keeper;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
}

/**
 * Whether commands can reach a gateway with this state folder. One that they cannot reach is still served in a terminal and
 * by a service manager, and that is said; in the background nothing could end it, so `bad-config` is thrown.
 */
export function checkSocketPath(folder: string, { platform, keeper, report }: SocketCheckDeps): 'fits' | 'too-long' {
  const path = join(folder, socketName);
  const longest = longestSocketPath(platform);
  const length = Buffer.byteLength(path);
  if (length <= longest) return 'fits';
  const problem = `the path of this home is too long: ${path} has ${length} bytes, and a socket may have ${longest} here`;
  const advice = 'set TALARIA_HOME to a folder with a shorter path';
  if (keeper === 'background') throw new AppError('bad-config', `${problem}; ${advice}`);
  report(
    `${problem}. No terminal can attach, nobody can be let in, and no other command reaches this gateway; ${advice}`,
  );
  return 'too-long';
}
