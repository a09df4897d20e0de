import type * as Tree from 'unbash';
import type { BashSyntax } from './bash-syntax.ts';
import { copyScope, expandDocument, expandText, expandWord, revive, unknownText } from './expand-word.ts';
import type { ShellScope } from './expand-word.ts';
import { followScope } from './follow-scope.ts';
import { describeOverwriting, judgeWords, switchingOff } from './judge-words.ts';
import { unwrapCommand } from './unwrap-command.ts';
import type { Unwrapped } from './unwrap-command.ts';

/** Where a node stands in the text. */
interface Place {
  readonly syntax: BashSyntax;
  readonly scope: ShellScope;
  /** How many texts within texts: `bash -c "bash -c '…'"`. */
  readonly depth: number;
  /** What a shell would read here from its standard input. */
  readonly fed: readonly string[];
}

const deepest = 12;

/**
 * What a shell text would destroy beyond repair, or undefined. It looks at commands, not at text: `echo reboot` is
 * harmless, `sudo /sbin/reboot` is not. It follows quoting, wrappers, substitutions and nested shells as far as their
 * words can be known without running anything, and also the whole part of a text that is broken further on, since
 * bash runs a line before it reads the next.
 */
export function findDisaster(script: Tree.Script, scope: ShellScope, syntax: BashSyntax): string | undefined {
  return judgeNode(script, { syntax, scope, depth: 0, fed: [] });
}

function judgeNode(node: Tree.SyntaxNode, place: Place): string | undefined {
  if (node.type === 'Function' && isForkBomb(node)) return 'a fork bomb';
  if (node.type === 'Redirect') {
    const overwritten = judgeRedirect(node, place.scope);
    if (overwritten !== undefined) return overwritten;
  }
  const inside = ownShells.has(node.type) ? { ...place, scope: copyScope(place.scope) } : place;
  const children = childrenOf(node, place.syntax);
  for (const [index, child] of children.entries()) {
    const before = node.type === 'Pipeline' ? children[index - 1] : undefined;
    const found = judgeNode(child, before === undefined ? inside : { ...inside, fed: printedBy(before, inside.scope) });
    if (found !== undefined) return found;
  }
  return node.type === 'Command' ? judgeCommand(node, place) : undefined;
}

/** What these change is gone when they end. */
const ownShells: ReadonlySet<string> = new Set<Tree.SyntaxNode['type']>([
  'ArithmeticCommandExpansion',
  'CommandExpansion',
  'ProcessSubstitution',
  'Subshell',
]);

function childrenOf(node: Tree.SyntaxNode, syntax: BashSyntax): readonly Tree.SyntaxNode[] {
  const children: Tree.SyntaxNode[] = [];
  syntax.forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}

function judgeRedirect({ operator, target }: Tree.Redirect, scope: ShellScope): string | undefined {
  if (target === undefined || operator === '<' || operator === '<&') return undefined;
  return describeOverwriting(expandWord(target, scope));
}

function judgeCommand(command: Tree.Command, place: Place): string | undefined {
  const { scope } = place;
  const words = wordsOf(command, scope);
  for (const unwrapped of unwrapCommand(words, [...place.fed, ...inputsOf(command, scope)])) {
    const found = judgeUnwrapped(unwrapped, place);
    if (found !== undefined) return found;
  }
  followScope(command, words, scope);
  return undefined;
}

function judgeUnwrapped(unwrapped: Unwrapped, place: Place): string | undefined {
  switch (unwrapped.type) {
    case 'command':
      return judgeWords(unwrapped.words, place.scope);
    case 'shell-text':
      return judgeText(unwrapped.text, place);
    case 'remote-text': {
      const found = judgeText(unwrapped.text, { ...place, scope: copyScope(place.scope) });
      return found === switchingOff ? undefined : found;
    }
  }
}

function wordsOf({ name, args }: Tree.Command, scope: ShellScope): readonly string[] {
  const words = [...(name === undefined ? [] : [name]), ...args];
  return words.flatMap((word) => (word.type === 'Word' ? expandWord(word, scope) : [unknownText]));
}

function judgeText(text: string, place: Place): string | undefined {
  if (place.depth > deepest) return undefined;
  return judgeNode(place.syntax.parse(revive(text)), { ...place, depth: place.depth + 1, fed: [] });
}

/** What a command prints into the pipe behind it, read in every way that it may be meant. What is unknown may be nothing. */
function printedBy(node: Tree.SyntaxNode, scope: ShellScope): readonly string[] {
  if (node.type !== 'Command') return [];
  const [name, ...words] = wordsOf(node, scope);
  if (name === 'cat') return inputsOf(node, scope);
  if (name !== 'echo' && name !== 'printf' && name !== 'yes') return [];
  const texts = [words, words.slice(1)].map((each) => each.join(' ').replaceAll(unknownText, ''));
  return texts.flatMap((text) => [text, text.replaceAll(String.raw`\n`, '\n')]);
}

/** The here-documents and here-strings of a command. */
function inputsOf(command: Tree.Command, scope: ShellScope): readonly string[] {
  const texts = command.redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return expandDocument(redirect.body, scope);
    return redirect.type === 'HereString' && redirect.target !== undefined ? expandText(redirect.target, scope) : [];
  });
  return texts.map((text) => text.replaceAll(unknownText, ''));
}

/** `:(){ :|:& };:` under any name: a function that starts itself twice in the background. */
function isForkBomb({ name, body }: Tree.Function): boolean {
  if (body.type !== 'BraceGroup' || body.body.commands.length !== 1) return false;
  const [statement] = body.body.commands;
  if (statement?.background !== true || statement.command.type !== 'Pipeline') return false;
  const { commands } = statement.command;
  return commands.length > 1 && commands.every((each) => each.type === 'Command' && each.name?.value === name.value);
}
