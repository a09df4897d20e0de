import {
  isArrayLiteralExpression,
  isAsExpression,
  isCallExpression,
  isClassDeclaration,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyDeclaration,
  isSatisfiesExpression,
  isTypeOperatorNode,
  isTypeReferenceNode,
  isVariableStatement,
  NodeFlags,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Expression, Node, TypeNode } from 'typescript/unstable/ast';
import { hasModifier, lineOf } from './source.ts';
import type { Finding, Source } from './source.ts';
import { isWrittenTo } from './writes.ts';

/** Classes whose instances never change in a way that a reader could notice. */
const immutableClasses: ReadonlySet<string> = new Set(['RegExp', 'TextDecoder', 'TextEncoder', 'URL', 'URLPattern']);
const readonlyTypes: ReadonlySet<string> = new Set(['Readonly', 'ReadonlyArray', 'ReadonlyMap', 'ReadonlySet']);
const collectionFactories = /^(Array|Array\.(from|of)|Object\.(create|fromEntries|assign)|Promise\.withResolvers)$/;

/** A module may hold constant tables. What can change lives in an object that someone was given. */
export function checkModuleState(source: Source): readonly Finding[] {
  return source.tree.statements.flatMap((statement) => {
    const found = isVariableStatement(statement)
      ? checkVariables(source, statement)
      : isClassDeclaration(statement)
        ? statement.members.flatMap((member) => checkStaticField(source, member))
        : [];
    return found.map(({ node, message }) => ({
      rule: 'no-module-state',
      path: source.path,
      line: lineOf(source, node),
      message,
    }));
  });
}

interface State {
  readonly node: Node;
  readonly message: string;
}

function checkVariables(source: Source, statement: Node): readonly State[] {
  if (!isVariableStatement(statement) || hasModifier(statement, SyntaxKind.DeclareKeyword)) return [];
  const { declarationList } = statement;
  if ((declarationList.flags & NodeFlags.Const) === 0) return [{ node: statement, message: 'a module-level variable' }];
  return declarationList.declarations.flatMap((declaration) => {
    const name = isIdentifier(declaration.name) ? declaration.name.text : '';
    if (declaration.initializer === undefined) return [];
    if (isWrittenTo(name, source.tree)) return [{ node: declaration, message: `${name} is changed after it was made` }];
    const kind = mutableKind(declaration.initializer, declaration.type);
    return kind === undefined ? [] : [{ node: declaration, message: `${name} is ${kind} that anyone could change` }];
  });
}

function checkStaticField(source: Source, member: Node): readonly State[] {
  if (!isPropertyDeclaration(member) || !hasModifier(member, SyntaxKind.StaticKeyword)) return [];
  const name = member.name.getText(source.tree);
  if (!hasModifier(member, SyntaxKind.ReadonlyKeyword))
    return [{ node: member, message: `the static field ${name} is not readonly` }];
  const kind = member.initializer === undefined ? undefined : mutableKind(member.initializer, member.type);
  return kind === undefined ? [] : [{ node: member, message: `the static field ${name} is ${kind}` }];
}

/** What makes a value mutable, or undefined where it is a constant. */
function mutableKind(value: Expression, type: TypeNode | undefined): string | undefined {
  if (type !== undefined && isReadonlyType(type)) return undefined;
  if (isParenthesizedExpression(value) || isSatisfiesExpression(value)) return mutableKind(value.expression, type);
  if (isAsExpression(value)) return isConstantType(value.type) ? undefined : mutableKind(value.expression, value.type);
  if (isArrayLiteralExpression(value)) return 'an array';
  if (isObjectLiteralExpression(value)) return value.properties.length === 0 ? 'an empty object' : undefined;
  if (isNewExpression(value)) return mutableInstance(value.expression.getText());
  if (isCallExpression(value) && collectionFactories.test(value.expression.getText())) return 'a collection';
  return undefined;
}

function mutableInstance(className: string): string | undefined {
  return immutableClasses.has(className) || className.startsWith('Intl.') ? undefined : `a ${className}`;
}

function isReadonlyType(type: TypeNode): boolean {
  if (isTypeOperatorNode(type)) return type.operator === SyntaxKind.ReadonlyKeyword;
  return isTypeReferenceNode(type) && readonlyTypes.has(type.typeName.getText());
}

function isConstantType(type: TypeNode): boolean {
  return isReadonlyType(type) || (isTypeReferenceNode(type) && type.typeName.getText() === 'const');
}
