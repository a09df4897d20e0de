import {
  isCallExpression,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isModuleDeclaration,
  isNamedExports,
  isParameterDeclaration,
  isPropertyAccessExpression,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import { allNodes, hasModifier, lineOf } from './source.ts';
import type { Finding, Source } from './source.ts';

/** The files that may use the built-in fetch. It costs more than a whole start, so nothing on the start path may. */
const fetchAllowedIn: ReadonlySet<string> = new Set([]);
const exitAllowedIn: ReadonlySet<string> = new Set(['src/bin.ts']);

/** The parts of the language that the house does without. */
export function checkLanguage(source: Source): readonly Finding[] {
  return [
    ...[...allNodes(source.tree)].flatMap((node) => {
      const broken = brokenBy(node, source.path);
      return broken === undefined ? [] : [{ ...broken, path: source.path, line: lineOf(source, node) }];
    }),
    ...checkSuppressions(source),
    ...checkBarrel(source),
  ];
}

type BrokenRule = Pick<Finding, 'rule' | 'message'>;

function brokenBy(node: Node, path: string): BrokenRule | undefined {
  if (node.kind === SyntaxKind.AnyKeyword) return { rule: 'no-any', message: 'uses the type any' };
  if (isDefaultExport(node)) return { rule: 'no-default-exports', message: 'has a default export' };
  if (isUnerasable(node)) return { rule: 'erasable-syntax', message: 'uses syntax that cannot simply be erased' };
  if (isProcessExit(node) && !exitAllowedIn.has(path))
    return { rule: 'one-exit', message: 'ends the process; only src/bin.ts does' };
  if (isBuiltInFetch(node) && !fetchAllowedIn.has(path))
    return { rule: 'no-built-in-fetch', message: 'uses the built-in fetch' };
  return undefined;
}

function isDefaultExport(node: Node): boolean {
  if (isExportAssignment(node) || hasModifier(node, SyntaxKind.DefaultKeyword)) return true;
  if (!isExportDeclaration(node) || node.exportClause === undefined || !isNamedExports(node.exportClause)) return false;
  return node.exportClause.elements.some(({ name }) => name.text === 'default');
}

function isUnerasable(node: Node): boolean {
  if (isEnumDeclaration(node)) return true;
  if (isModuleDeclaration(node)) return !hasModifier(node, SyntaxKind.DeclareKeyword);
  return isParameterDeclaration(node) && (node.modifiers?.length ?? 0) > 0;
}

function isProcessExit(node: Node): boolean {
  return isPropertyAccessExpression(node) && /^process\.(exit|reallyExit|abort)$/.test(node.getText());
}

function isBuiltInFetch(node: Node): boolean {
  if (isPropertyAccessExpression(node)) return node.getText() === 'globalThis.fetch';
  return isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === 'fetch';
}

function checkSuppressions({ path, text }: Source): readonly Finding[] {
  return text.split('\n').flatMap((content, index) => {
    const [suppression] = /@ts-(ignore|nocheck|expect-error)/.exec(content) ?? [];
    if (suppression === undefined) return [];
    return [{ rule: 'no-suppressions', path, line: index + 1, message: `silences the compiler with ${suppression}` }];
  });
}

function checkBarrel(source: Source): readonly Finding[] {
  const { statements } = source.tree;
  const exports = statements.filter((statement) => isExportDeclaration(statement));
  const star = exports.find(({ exportClause }) => exportClause === undefined);
  const hasOnlyExports =
    exports.length > 0 && statements.every((each) => isExportDeclaration(each) || isImportDeclaration(each));
  const guilty = star ?? (hasOnlyExports ? exports[0] : undefined);
  if (guilty === undefined) return [];
  const message = 'hands on what other files export';
  return [{ rule: 'no-barrels', path: source.path, line: lineOf(source, guilty), message }];
}
