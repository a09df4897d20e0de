import { listImports } from './imports.ts';
import type { Finding, Source } from './source.ts';

/** No file reaches itself through its imports, types included. One finding for each group of files that do. */
export function checkCycles(sources: readonly Source[]): readonly Finding[] {
  const graph = new Map(sources.map((source) => [source.path, importedFiles(source)]));
  const paths = [...graph.keys()].toSorted();
  const reach = new Map(paths.map((path) => [path, reachableFrom(path, graph)]));
  const inCycles = paths.filter((path) => reach.get(path)?.has(path));

  const groups = Map.groupBy(inCycles, (path) => inCycles.filter((other) => meets(path, other, reach)).join(' ⇄ '));
  return [...groups].map(([members, [first = '']]) => ({
    rule: 'no-cycles',
    path: first,
    line: 1,
    message: `is in a cycle: ${members}`,
  }));
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function importedFiles(source: Source): ReadonlySet<string> {
  return new Set(listImports(source).flatMap(({ to }) => (to.type === 'file' ? [to.path] : [])));
}

function meets(left: string, right: string, reach: Graph): boolean {
  return (reach.get(left)?.has(right) ?? false) && (reach.get(right)?.has(left) ?? false);
}

function reachableFrom(start: string, graph: Graph): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const next of graph.get(path) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return seen;
}
