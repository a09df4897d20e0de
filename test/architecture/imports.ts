import { posix } from 'node:path';
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import { allNodes, lineOf } from './source.ts';
import type { Source } from './source.ts';

export type ImportTarget =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'package'; readonly name: string }
  | { readonly type: 'computed' };

/** One file naming another, in whatever way: types and dynamic imports count like any other. */
export interface Import {
  readonly from: string;
  readonly to: ImportTarget;
  readonly line: number;
}

export function listImports(source: Source): readonly Import[] {
  return [...allNodes(source.tree)].flatMap((node) => {
    const named = namedModule(node);
    if (named === undefined) return [];
    return [{ from: source.path, to: resolve(source.path, named), line: lineOf(source, node) }];
  });
}

function namedModule(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  if (!isCallExpression(node)) return undefined;
  const loads =
    node.expression.kind === SyntaxKind.ImportKeyword ||
    (isIdentifier(node.expression) && node.expression.text === 'require');
  return loads ? node.arguments[0] : undefined;
}

function resolve(from: string, named: Node): ImportTarget {
  if (!isStringLiteral(named) && !isNoSubstitutionTemplateLiteral(named)) return { type: 'computed' };
  if (named.text.startsWith('.')) return { type: 'file', path: posix.join(posix.dirname(from), named.text) };
  const parts = named.text.split('/');
  return { type: 'package', name: parts.slice(0, named.text.startsWith('@') ? 2 : 1).join('/') };
}
