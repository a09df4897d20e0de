import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { BrowserSettings } from '../../model/config.ts';
import { createBrowser } from '../browser.ts';
import type { ToolGroup } from '../registry.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { sweepProfiles } from './profile-processes.ts';
import { SessionBrowsers } from './session-browsers.ts';
import type { UrlGuard } from './url-guard.ts';

export interface BrowserParts {
  readonly settings: () => BrowserSettings;
  readonly redact: (text: string) => string;
  /** Where files of sessions stand, which chats are shown. */
  readonly filesFolder: string;
  readonly taskFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Left out: what is public, and what the settings name. */
  readonly guard?: UrlGuard;
}

/** The browser, with what it keeps for sessions. Ends what a start of the program that was killed has left. */
export function createBrowserGroup(parts: BrowserParts): ToolGroup {
  const { settings, taskFolder, environment, clock } = parts;
  const profiles = join(taskFolder, 'browser');
  sweepProfiles(profiles);
  let loading: Promise<UrlGuard> | undefined;
  const guard = (): Promise<UrlGuard> => (loading ??= loadGuard(parts));
  const launch = async (): Promise<RunningChromium> =>
    launchInstalled({ settings: settings(), profiles, environment, guard: await guard() });
  const browsers = new SessionBrowsers({ taskFolder, launch, limits: settings, clock });
  return {
    tools: [createBrowser({ ...parts, browsers, guard })],
    endTask: (sessionId) => browsers.end(sessionId),
    close: () => browsers.closeAll(),
  };
}

async function loadGuard({ guard, settings }: Pick<BrowserParts, 'guard' | 'settings'>): Promise<UrlGuard> {
  if (guard !== undefined) return guard;
  const { createUrlGuard } = await import('./url-guard.ts');
  const { lookup } = await import('node:dns/promises');
  return createUrlGuard({
    allowPrivate: () => settings().allowPrivate,
    resolve: (host) => lookup(host, { all: true }),
  });
}

interface LaunchDeps {
  readonly settings: BrowserSettings;
  readonly profiles: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly guard: UrlGuard;
}

async function launchInstalled({ settings, ...rest }: LaunchDeps): Promise<RunningChromium> {
  const { findChromium, installChromium } = await import('./find-chromium.ts');
  const executable = findChromium(rest.environment['PATH'] ?? '', settings.executable);
  if (executable === undefined) {
    const missing =
      settings.executable === undefined ? 'there is no Chromium here' : `there is no ${settings.executable}`;
    throw new AppError('unsupported', `${missing}; the user can install one with: ${installChromium()}`);
  }
  const { decideSandbox, readSandboxFacts } = await import('./decide-sandbox.ts');
  const { launchChromium } = await import('./launch-chromium.ts');
  return await launchChromium({ ...rest, executable, sandbox: decideSandbox(settings.sandbox, readSandboxFacts()) });
}
