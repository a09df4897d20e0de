import type { Script, Statement } from 'unbash';
import { loadBashSyntax } from './bash-syntax.ts';

const byProgram: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: 'no matches' },
  egrep: { 1: 'no matches' },
  fgrep: { 1: 'no matches' },
  rg: { 1: 'no matches' },
  diff: { 1: 'the files differ' },
  cmp: { 1: 'the files differ' },
  test: { 1: 'the condition is false' },
  '[': { 1: 'the condition is false' },
  '[[': { 1: 'the condition is false' },
  curl: {
    6: 'the host name was not found',
    7: 'could not connect',
    22: 'the server answered with an error',
    28: 'timed out',
  },
};

const everywhere: Readonly<Record<number, string>> = {
  124: 'timed out',
  126: 'could not be executed',
  127: 'command not found',
  130: 'ended by SIGINT',
  134: 'aborted',
  137: 'ended by SIGKILL, possibly out of memory',
  139: 'crashed with a segmentation fault',
  141: 'ended by SIGPIPE',
  143: 'ended by SIGTERM',
};

/** What a non-zero exit code conventionally means, if it means anything; the last command of a text sets it. */
export async function explainExit(command: string, code: number): Promise<string | undefined> {
  const { parse } = await loadBashSyntax();
  return byProgram[lastProgram(parse(command))]?.[code] ?? everywhere[code];
}

function lastProgram(node: Script | Statement['command'] | undefined): string {
  if (node?.type === 'Script') return lastProgram(node.commands.at(-1)?.command);
  if (node?.type === 'AndOr' || node?.type === 'Pipeline') return lastProgram(node.commands.at(-1));
  if (node?.type === 'TestCommand') return '[[';
  return node?.type === 'Command' ? (node.name?.text ?? '') : '';
}
