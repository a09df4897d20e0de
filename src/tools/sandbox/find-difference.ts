import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path';

export interface SeenInside {
  readonly userHome: string;
  /** Whether a path means the same inside as outside. */
  readonly isSame: (path: string) => boolean;
}

const lookedAt = 4000;
// They tell of the system, and inside there is another one.
const tellsOfSystem =
  /(?:^|[;|&(`\n])[ \t]*(?:sudo[ \t]+)?(ps|pstree|pgrep|pidof|top|htop|ss|netstat|lsof|df|mount|findmnt|ip|ifconfig)(?![^\s;|&)])/;
const pathWord = /(?<=^|[\s;|&()<>="'`])(?:\/|(?:~|\$HOME|\$\{HOME\})(?![^\s/;|&()<>"'`]))[^\s;|&()<>"'`]*/g;
// The root alone is as often a sign of division, or of the page of a site.
const wholeSystem = /(?<![^\s;|&(`])(?:find|fd|ls|du|tree|grep|rg)[ \t](?:[^;|&\n]*[ \t])?\/(?![^\s;|&)])/;
// What is written into a file is not done yet.
const fileText = /(<<-?[ \t]*['"\\]?\w[^\n]*\n).*/s;

/**
 * What a command names that is not inside what it is outside, in words; undefined where there is nothing. By the look of the text,
 * since it decides nothing: a command that ends well may have seen, or written, something else than was meant.
 */
export function findDifference(command: string, { userHome, isSame }: SeenInside): string | undefined {
  const text = command.slice(0, lookedAt).replace(fileText, '$1');
  const program = tellsOfSystem.exec(text)?.[1];
  if (program !== undefined) return `${program} tells only of the sandbox`;
  const words = text.match(pathWord) ?? [];
  const path = words.find((word) => {
    const named = normalize(word.replace(/^(?:~|\$HOME|\$\{HOME\})/, () => userHome));
    return isOfSystem(named) && !isSame(named);
  });
  if (path === undefined) return wholeSystem.test(text) ? '/ is not the one outside' : undefined;
  return `${path} is not the one outside`;
}

/** Much that begins with a stroke is no path; and devices and what the kernel tells are there as they are outside. */
function isOfSystem(path: string): boolean {
  const [, top = ''] = path.split('/');
  return !['', 'dev', 'proc'].includes(top) && existsSync(join('/', top));
}
