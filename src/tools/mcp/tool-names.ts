import { hash } from 'node:crypto';

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

// What every vendor accepts.
const longest = 64;

/**
 * The names under which the model calls the tools of servers: `mcp_<server>_<tool>`, of letters, digits and _ alone. Two
 * that would come to the same name both get a mark of their own, so that it does not matter who came first. Pure.
 */
export function nameTools<Item extends NamedTool>(items: readonly Item[]): ReadonlyMap<string, Item> {
  const plain = items.map((item) => plainName(item));
  const doubled = new Set(plain.filter((name, index) => plain.indexOf(name) !== index));
  const named = items.map((item, index) => {
    const name = plain[index] ?? '';
    return [name.length > longest || doubled.has(name) ? markedName(name, item) : name, item] as const;
  });
  return new Map(named);
}

function plainName({ server, tool }: NamedTool): string {
  return `mcp_${server}_${tool}`.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

function markedName(name: string, { server, tool }: NamedTool): string {
  const mark = hash('sha256', JSON.stringify([server, tool])).slice(0, 8);
  return `${name.slice(0, longest - mark.length - 1)}_${mark}`;
}
