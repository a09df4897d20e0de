import type { Finding, SourceText } from './source.ts';

const vagueWords = /^(utils?|helpers?|common|managers?|v\d+)$/i;

/** A file is named for what it holds, and everything in `src` is TypeScript. */
export function checkNames({ path }: SourceText): readonly Finding[] {
  const findings: Finding[] = [];
  const vague = path.split(/[/.\-_]/).find((word) => vagueWords.test(word));
  if (vague !== undefined)
    findings.push({ rule: 'no-vague-names', path, line: 1, message: `the name "${vague}" says nothing` });
  if (path.startsWith('src/') && !path.endsWith('.ts'))
    findings.push({ rule: 'only-typescript', path, line: 1, message: 'is not a .ts file' });
  return findings;
}
