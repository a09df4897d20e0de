import { existsSync, readFileSync } from 'node:fs';

/** Whether Chromium can lock its pages away from the system here. */
export type Sandbox = { readonly type: 'on' } | { readonly type: 'off'; readonly reason: string };

export interface SandboxFacts {
  readonly isRoot: boolean;
  readonly hasUserNamespaces: boolean;
  /** A helper of the distribution that has the right to make a sandbox. */
  readonly hasHelper: boolean;
}

/** Pure. */
export function decideSandbox(wanted: 'auto' | 'off', facts: SandboxFacts): Sandbox {
  if (wanted === 'off') return { type: 'off', reason: 'browser.sandbox is off in the settings' };
  if (facts.isRoot) return { type: 'off', reason: 'Chromium has none when root starts it' };
  if (facts.hasUserNamespaces || facts.hasHelper) return { type: 'on' };
  return { type: 'off', reason: 'this system allows no user namespaces' };
}

export function readSandboxFacts(): SandboxFacts {
  return {
    isRoot: process.getuid?.() === 0,
    hasUserNamespaces: namespaceSwitches.every((file) => readSwitch(file) !== '0'),
    hasHelper: ['/usr/lib/chromium/chrome-sandbox', '/opt/google/chrome/chrome-sandbox'].some((file) =>
      existsSync(file),
    ),
  };
}

const namespaceSwitches: readonly string[] = [
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/unprivileged_userns_clone',
];

/** A switch that a system does not have forbids nothing. */
function readSwitch(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
