import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { Json } from '../../base/json.ts';
import { checkConfig } from '../../model/config.ts';
import type { Config } from '../../model/config.ts';
import { describeProblems } from '../../model/schema.ts';

export type ParsedConfig =
  | { readonly type: 'good'; readonly value: Json; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly type: 'broken'; readonly problems: readonly string[] };

/** Reads settings from YAML, of which JSON is a part. Problems and warnings begin with their line and column. Pure. */
export function parseConfig(text: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { type: 'broken', problems: [`${position(lines, error.pos[0])}: ${error.message}`] };

  const value = document.toJS() as Json;
  const checked = checkConfig(value);
  if (checked.type === 'invalid') {
    const found = checked.problems.map((problem) => ({
      offset: valueOffset(document, problem.path),
      text: describeProblems([problem]),
    }));
    return { type: 'broken', problems: tellInOrder(found, lines) };
  }
  const found = checked.warnings.map(({ path, message }) => ({ offset: keyOffset(document, path), text: message }));
  return { type: 'good', value, config: checked.config, warnings: tellInOrder(found, lines) };
}

/** In the order of the lines, whatever order the checks have. */
function tellInOrder(
  found: readonly { readonly offset: number; readonly text: string }[],
  lines: LineCounter,
): readonly string[] {
  return found
    .toSorted((left, right) => left.offset - right.offset)
    .map(({ offset, text }) => `${position(lines, offset)}: ${text}`);
}

export function position(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${line}:${col}`;
}

/** Where the value at the path begins, or else the nearest one around it. */
export function valueOffset(document: Document, path: readonly string[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function keyOffset(document: Document, path: readonly string[]): number {
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pairs = isMap(around) ? around.items : [];
  const key = pairs
    .map((pair) => pair.key)
    .find((candidate) => isScalar(candidate) && String(candidate.value) === path.at(-1));
  return isScalar(key) && key.range ? key.range[0] : valueOffset(document, path);
}
