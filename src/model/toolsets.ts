import { nearestWord } from '../base/nearest-word.ts';
import type { Problem } from './schema.ts';

/** The toolsets of our own tools. An MCP server is a toolset, too, and has none of these names. */
export const ourToolsets: readonly string[] = ['file', 'terminal', 'web', 'browser', 'clarify', 'todo', 'messaging'];

/** Why a server of that name is not used; undefined where the name is free. Pure. */
export function nameTaken(server: string): string | undefined {
  return ourToolsets.includes(server) ? 'a toolset of ours has that name' : undefined;
}

interface NamedToolsets {
  readonly agent: { readonly disabledToolsets: readonly string[] };
  readonly platformToolsets: Readonly<Record<string, readonly string[]>>;
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

/** Toolsets that the settings name and nobody has: what was to be left out by a misspelt name is still there. Pure. */
export function findToolsetDoubts({ agent, platformToolsets, mcpServers }: NamedToolsets): readonly Problem[] {
  const known = [...ourToolsets, ...Object.keys(mcpServers)];
  const lists: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['agent', 'disabled_toolsets'], agent.disabledToolsets],
    ...Object.entries(platformToolsets).map(
      ([platform, toolsets]) => [['platform_toolsets', platform], toolsets] as const,
    ),
  ];
  return lists.flatMap(([path, names]) =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => {
        const nearest = nearestWord(name, known);
        const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
        return {
          path,
          message: `${path.join('.')}: ${name} is neither a toolset nor an MCP server of the settings${meant}`,
        };
      }),
  );
}
