import {
  isArrowFunction,
  isCallSignatureDeclaration,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isFunctionTypeNode,
  isIdentifier,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
} from 'typescript/unstable/ast';
import type { Node, ParameterDeclaration } from 'typescript/unstable/ast';
import { allNodes, lineOf } from './source.ts';
import type { Finding, Source } from './source.ts';

const maxFileLines = 400;
const maxFunctionLines = 60;
const maxParameters = 4;

/** Files, functions and lists of parameters stay short enough to be read at once. */
export function checkShape(source: Source): readonly Finding[] {
  return [...checkFileLength(source), ...[...allNodes(source.tree)].flatMap((node) => checkFunction(source, node))];
}

function checkFileLength({ path, text }: Source): readonly Finding[] {
  const lines = text.trimEnd().split('\n').length;
  if (lines <= maxFileLines) return [];
  return [{ rule: 'file-length', path, line: lines, message: `has ${lines} lines, and ${maxFileLines} is the limit` }];
}

function checkFunction(source: Source, node: Node): readonly Finding[] {
  const parameters = parametersOf(node)?.filter((each) => !isIdentifier(each.name) || each.name.text !== 'this');
  if (parameters === undefined) return [];
  const line = lineOf(source, node);
  const lines = source.tree.getLineAndCharacterOfPosition(node.getEnd()).line + 2 - line;

  const findings: Finding[] = [];
  const report = (rule: string, message: string): void => {
    findings.push({ rule, path: source.path, line, message });
  };
  if (lines > maxFunctionLines)
    report('function-length', `a function of ${lines} lines; the limit is ${maxFunctionLines}`);
  if (parameters.length > maxParameters)
    report('parameter-count', `${parameters.length} parameters; the limit is ${maxParameters}`);
  return findings;
}

function parametersOf(node: Node): readonly ParameterDeclaration[] | undefined {
  const isFunction =
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isMethodSignatureDeclaration(node) ||
    isFunctionTypeNode(node) ||
    isCallSignatureDeclaration(node);
  return isFunction ? node.parameters : undefined;
}
