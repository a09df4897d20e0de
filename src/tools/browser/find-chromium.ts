import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installCommand } from '../install-command.ts';

/** Names under which systems install it, the plain one first. */
const names: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'brave-browser',
];

const elsewhere: readonly string[] = [
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine, or undefined. What the settings name is used or nothing. */
export function findChromium(path: string, chosen: string | undefined): string | undefined {
  if (chosen !== undefined) return isProgram(chosen) ? chosen : undefined;
  const inPath = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return [...inPath, ...elsewhere].find(isProgram);
}

/** The command that installs one here. */
export function installChromium(platform: NodeJS.Platform = process.platform): string {
  const command = installCommand({ name: 'chromium', brew: '--cask chromium' }, platform);
  return command ?? 'npx playwright-core install --with-deps chromium';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
