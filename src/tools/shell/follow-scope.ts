import { resolve } from 'node:path';
import type { Assignment, Command } from 'unbash';
import { expandText, revive, unknownText } from './expand-word.ts';
import type { ShellScope } from './expand-word.ts';

/** Notes where `cd` leads and what is assigned, for the commands that follow. */
export function followScope(command: Command, words: readonly string[], scope: ShellScope): void {
  const [name, ...rest] = words;
  const target = rest.find((word) => !/^-./.test(word));
  if (name === 'cd' || name === 'pushd') scope.folder = followFolder(target, scope);
  for (const each of [...command.prefix, ...command.suffix]) if (each.type === 'Assignment') assign(each, scope);
}

function assign({ name, value, append, index }: Assignment, scope: ShellScope): void {
  const before = append === true ? (scope.variables.get(name) ?? unknownText) : '';
  const text = value.type === 'Word' && index === undefined ? before + expandText(value, scope) : unknownText;
  if (text.includes(unknownText)) scope.variables.delete(name);
  else scope.variables.set(name, revive(text));
}

function followFolder(target: string | undefined, scope: ShellScope): string | undefined {
  if (target === undefined) return scope.home;
  if (target === '-' || target.includes(unknownText)) return undefined;
  if (target.startsWith('/')) return resolve(target);
  return scope.folder === undefined ? undefined : resolve(scope.folder, target);
}
