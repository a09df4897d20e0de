import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import type { LoadedConfig } from './config-file.ts';
import { position, valueOffset } from './parse-config.ts';

/** Where a setting stands, to be put before what is said about it: `file:line:column: `; empty where there is no file. */
export function locateInFile({ path, source }: LoadedConfig, keys: readonly string[]): string {
  if (source !== 'file') return '';
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines, prettyErrors: false });
  return `${path}:${position(lines, valueOffset(document, keys))}: `;
}
