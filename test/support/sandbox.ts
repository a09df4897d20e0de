import type { SandboxSettings } from '../../src/model/terminal-settings.ts';
import { probeSandbox } from '../../src/tools/sandbox/probe-sandbox.ts';

export const sandboxed: SandboxSettings = { mode: 'auto', network: 'none' };

/** For tests that need a sandbox: why they are skipped, if they are. */
export async function needsSandbox(): Promise<{ readonly skip: string | false }> {
  const report = await probeSandbox();
  return { skip: report.type === 'missing' ? report.reason : false };
}
