import { AppError, describeError } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { ProcessPort } from './app-port.ts';
import { exitCodeOfError } from './exit-codes.ts';
import { failureLine } from './failure-line.ts';
import { describePathProblem } from './path-problem.ts';
import { neutralise } from './render/neutralise.ts';
import { wayToGoOn } from './way-by-id.ts';

export interface ReportOptions {
  readonly format: 'text' | 'json';
  /** The help topic that a wrong command line is referred to; undefined where none fits. */
  readonly topic: string | undefined;
}

/** Tells a person, and a program that asked for JSON, why a command gave up. A stack is shown only for debugging. */
export function reportError(
  thrown: unknown,
  { stdout, stderr, env }: Pick<ProcessPort, 'stdout' | 'stderr' | 'env'>,
  options: ReportOptions,
): void {
  const lines = describeForPerson(thrown, options.topic);
  stderr.write(`${neutralise(lines.join('\n'))}\n`);
  const isDebugging = (env['TALARIA_DEBUG'] ?? '') !== '';
  if (isDebugging && thrown instanceof Error) stderr.write(`${describeWithCauses(thrown)}\n`);
  if (options.format === 'json') stdout.write(failureLine(describeForProgram(thrown), exitCodeOfError(thrown)));
}

function describeForPerson(thrown: unknown, topic: string | undefined): readonly string[] {
  const pathProblem = describePathProblem(thrown);
  if (pathProblem !== undefined) return [`talaria: ${pathProblem}`];
  const message = `talaria: ${describeError(thrown)}`;
  if (!(thrown instanceof AppError)) return [message, 'This is a fault in the program. TALARIA_DEBUG=1 shows where.'];
  if (thrown.code === 'bad-usage')
    return [message, `See: talaria ${topic === '' ? '--help' : `help ${topic ?? ''}`}`.trimEnd()];
  const hint = hints[thrown.code];
  if (hint === undefined) return [message];
  return [message, hint.endsWith(':') ? `${hint} ${wayToGoOn(thrown.sessionId)}` : hint];
}

/** Behind one that ends in a colon comes the command that goes on. */
const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
  'already-running':
    'Leave the other one first (a gateway: talaria gateway stop), or give this one a home of its own: TALARIA_HOME=FOLDER talaria. Beside `talaria gateway` several terminals can be open at once.',
  'gateway-gone': 'Nothing that was taken in is lost. `talaria gateway` starts it again; go on with:',
  'gateway-stopping': 'Nothing was taken in. Try again once it has ended, or is back.',
  'no-model':
    '`talaria model` lists what can be asked, and whose keys are there. The settings are in the file that `talaria config path` names, and keys in .env beside it.',
  'bad-config': '`talaria doctor` looks at everything that a start needs.',
  'disk-full': 'Nothing was lost that had been acknowledged. Make room and go on with:',
};

function describeForProgram(thrown: unknown): Parameters<typeof failureLine>[0] {
  const pathProblem = describePathProblem(thrown);
  if (pathProblem !== undefined) return { code: 'bad-path', message: pathProblem };
  return { code: thrown instanceof AppError ? thrown.code : 'internal', message: describeError(thrown) };
}

function describeWithCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${describeWithCauses(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
