import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import { allNodes, lineOf } from './source.ts';
import type { Finding, Source } from './source.ts';

const runners = /^(test|it|describe|suite)\.(skip|only|todo)$/;
const switches = /^(skip|only|todo)$/;

/** No test is left out or singled out by hand. Skipping for a reason found at run time is allowed. */
export function checkTests(source: Source): readonly Finding[] {
  return [...allNodes(source.tree)].filter(isSetAside).map((node) => ({
    rule: 'no-tests-set-aside',
    path: source.path,
    line: lineOf(source, node),
    message: `sets a test aside: ${node.getText(source.tree).slice(0, 60)}`,
  }));
}

function isSetAside(node: Node): boolean {
  if (isCallExpression(node))
    return isPropertyAccessExpression(node.expression) && runners.test(node.expression.getText());
  if (!isPropertyAssignment(node) || !isIdentifier(node.name) || !switches.test(node.name.text)) return false;
  return node.initializer.kind === SyntaxKind.TrueKeyword || isStringLiteral(node.initializer);
}
