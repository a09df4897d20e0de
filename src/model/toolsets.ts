/** The toolsets of our own tools. An MCP server is a toolset, too, and has none of these names. */
export const ourToolsets: readonly string[] = ['file', 'terminal', 'web', 'browser', 'clarify', 'todo', 'messaging'];

/** Why a server of that name is not used; undefined where the name is free. Pure. */
export function nameTaken(server: string): string | undefined {
  return ourToolsets.includes(server) ? 'a toolset of ours has that name' : undefined;
}
