import { spawn } from 'node:child_process';
import type { ProcessPort } from '../app-port.ts';

/**
 * Opens an address in the browser of this machine, where there is a screen. It is handed over as an argument: no shell ever
 * reads it. Says whether that was tried; what becomes of it, nobody can know.
 */
export function openInBrowser(address: string, { platform, env }: Pick<ProcessPort, 'platform' | 'env'>): boolean {
  const opener = findOpener(platform, env);
  if (opener === undefined || !/^https?:\/\//.test(address)) return false;
  const child = spawn(opener, [address], { stdio: 'ignore', detached: true });
  // The address is shown as well.
  child.once('error', () => undefined);
  child.unref();
  return true;
}

function findOpener(platform: NodeJS.Platform, env: ProcessPort['env']): string | undefined {
  if (platform === 'darwin') return 'open';
  // Over ssh the screen is somebody else's.
  const hasScreen = (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') !== '' && (env['SSH_CONNECTION'] ?? '') === '';
  return platform === 'linux' && hasScreen ? 'xdg-open' : undefined;
}
