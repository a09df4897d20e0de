import { existsSync } from 'node:fs';

/** A program by what it is called where it is installed from; left out: the same everywhere. */
export interface Installable {
  readonly name: string;
  readonly brew?: string;
}

/** The command that installs a program here, or undefined on a system that we do not know. */
export function installCommand(
  { name, brew = name }: Installable,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform === 'darwin') return `brew install ${brew}`;
  const [, install] = installers.find(([mark]) => existsSync(mark)) ?? [];
  if (install === undefined) return undefined;
  return `${process.getuid?.() === 0 ? '' : 'sudo '}${install} ${name}`;
}

const installers: readonly (readonly [string, string])[] = [
  ['/etc/debian_version', 'apt-get install -y'],
  ['/etc/fedora-release', 'dnf install -y'],
  ['/etc/arch-release', 'pacman -S --noconfirm'],
  ['/etc/alpine-release', 'apk add'],
  ['/etc/SUSE-brand', 'zypper install -y'],
];
