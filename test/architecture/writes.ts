import {
  isBinaryExpression,
  isCallExpression,
  isDeleteExpression,
  isElementAccessExpression,
  isIdentifier,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import { allNodes } from './source.ts';

const changingMethods: ReadonlySet<string> = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift'.split(' '),
);
const changingCalls: ReadonlySet<string> = new Set(['Object.assign', 'Object.defineProperty', 'Reflect.set']);

/** Whether anything in the tree changes what the name holds: a field of it, an element, or by one of its methods. */
export function isWrittenTo(name: string, tree: Node): boolean {
  return allNodes(tree).some((node) => {
    const target = changedBy(node);
    return target !== undefined && rootName(target) === name;
  });
}

function changedBy(node: Node): Node | undefined {
  if (isDeleteExpression(node)) return node.expression;
  if (isPostfixUnaryExpression(node)) return node.operand;
  if (isPrefixUnaryExpression(node)) return isStep(node.operator) ? node.operand : undefined;
  if (isBinaryExpression(node)) return isAssignment(node.operatorToken.kind) ? node.left : undefined;
  return isCallExpression(node) ? changedByCall(node.expression, node.arguments) : undefined;
}

function changedByCall(callee: Node, parameters: readonly Node[]): Node | undefined {
  if (!isPropertyAccessExpression(callee)) return undefined;
  if (changingCalls.has(callee.getText())) return parameters[0];
  return changingMethods.has(callee.name.text) ? callee.expression : undefined;
}

function isStep(operator: SyntaxKind): boolean {
  return operator === SyntaxKind.PlusPlusToken || operator === SyntaxKind.MinusMinusToken;
}

function isAssignment(operator: SyntaxKind): boolean {
  return operator >= SyntaxKind.FirstAssignment && operator <= SyntaxKind.LastAssignment;
}

function rootName(node: Node): string | undefined {
  if (isPropertyAccessExpression(node) || isElementAccessExpression(node)) return rootName(node.expression);
  return isIdentifier(node) ? node.text : undefined;
}
