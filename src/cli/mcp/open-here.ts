import type { CliDeps } from '../app-port.ts';
import type { McpDesk } from './mcp-desk.ts';

/** The servers of the settings and of the project that the command was given in. */
export async function openHere({ openMcp, process }: CliDeps): Promise<McpDesk> {
  return await openMcp(currentFolder(process));
}

/** The folder that the command was given in; undefined where it is gone. */
export function currentFolder(process: CliDeps['process']): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // it is gone, and no project with it
  }
}
