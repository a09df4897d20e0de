import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import type { Sandbox } from './decide-sandbox.ts';
import { GuardedProxy } from './guarded-proxy.ts';
import { endBrowsersBelow, noteSingleton, removeSingleton } from './profile-processes.ts';
import type { UrlGuard } from './url-guard.ts';

export interface LaunchOptions {
  readonly executable: string;
  /** Holds a folder for each browser that runs. */
  readonly profiles: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  readonly guard: UrlGuard;
}

/** A browser that runs. Closing it leaves no process and no file of it behind. */
export interface RunningChromium extends AsyncDisposable {
  readonly browser: Browser;
  readonly proxy: GuardedProxy;
  readonly sandbox: Sandbox;
}

const closeMs = 5000;

// Without the last one WebRTC would go around the proxy.
const flags: readonly string[] = [
  '--disable-quic',
  '--disable-gpu',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/**
 * Starts Chromium on an empty profile of its own. It is driven over a pipe: nobody else can reach it, and when this program
 * dies, however it dies, the pipe ends and the browser with it.
 */
export async function launchChromium(options: LaunchOptions): Promise<RunningChromium> {
  const { profiles, executable, environment, sandbox } = options;
  await mkdir(profiles, { recursive: true, mode: 0o700 });
  const profile = await mkdtemp(join(profiles, 'p'));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => removeProfile(profile));
  const proxy = undo.use(new GuardedProxy(options.guard));
  const main = await chromium.launchPersistentContext(profile, {
    executablePath: executable,
    headless: true,
    chromiumSandbox: sandbox.type === 'on',
    args: [...flags],
    // Loopback goes through it as well, unless it is told otherwise.
    proxy: { server: await proxy.listen() },
    env: { ...environment, HOME: profile },
    artifactsDir: join(profile, 'artifacts'),
    // Whoever ends this program decides when the browser goes.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const browser = main.browser();
  if (browser === null) throw new Error('the browser has ended at once');
  noteSingleton(profile);
  undo.defer(() => closeSoon(main.close()));
  const closing = undo.move();
  return { browser, proxy, sandbox, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function removeProfile(profile: string): Promise<void> {
  endBrowsersBelow(profile);
  removeSingleton(profile);
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
}

/** A browser that does not end when it is asked to is ended by the next step. */
async function closeSoon(closed: Promise<void>): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeMs);
  await Promise.race([closed.catch(() => undefined), waited]);
  clearTimeout(timer);
}
