import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { Json } from '../../base/json.ts';
import { checkConfig } from '../../model/config.ts';
import type { Config } from '../../model/config.ts';

export type ParsedConfig =
  | { readonly type: 'good'; readonly value: Json; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly type: 'broken'; readonly problem: string };

/** Reads settings from YAML, of which JSON is a part. A problem begins with its line and column. Pure. */
export function parseConfig(text: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return broken(lines, error.pos[0], error.message);

  const value = document.toJS() as Json;
  const checked = checkConfig(value);
  if (checked.type === 'invalid') return broken(lines, offsetOf(document, checked.path), checked.problem);
  return { ...checked, type: 'good', value };
}

function broken(lines: LineCounter, offset: number, message: string): ParsedConfig {
  const { line, col } = lines.linePos(offset);
  return { type: 'broken', problem: `${line}:${col}: ${message}` };
}

/** Where the value at the path begins, or else the nearest one around it. */
function offsetOf(document: Document, path: readonly string[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
