import type { DemoRound } from './demo-request.ts';
import { readServing } from './own-commands.ts';

/** The newest process that was started or seen to run in a conversation, and not stopped since. */
export function findProcess(rounds: readonly DemoRound[]): string | undefined {
  const stopped = new Set(rounds.filter(({ input }) => input['action'] === 'kill').map(({ input }) => input['id']));
  return rounds.flatMap(runningIn).findLast((id) => !stopped.has(id));
}

function runningIn({ tool, result }: DemoRound): readonly string[] {
  const started = startedIn(result);
  if (tool === 'terminal') return started === undefined ? [] : [started];
  return tool === 'process' ? [...result.matchAll(/^(proc_\w+) is running/gm)].map(([, id = '']) => id) : [];
}

/** The process that a call has started, by the words of its result. */
export function startedIn(result: string): string | undefined {
  return /^Started (proc_\w+)\./.exec(result)?.[1];
}

/** What came of starting a command in the background. */
export function describeStart(command: string, id: string, result: string): string {
  const inSandbox = /\bIt runs in the sandbox(.*?);/.exec(result)?.[1];
  const place = inSandbox === undefined ? '' : `, in the sandbox${inSandbox}`;
  const leaving = inSandbox === undefined ? '' : ' · run it outside the sandbox';
  const address = readServing(command);
  const what = address === undefined ? `\`${command}\`` : `A small server for ${address}`;
  return `${what} is started in the background as ${id}${place}. You can say: what is running · show its output · stop it${leaving}`;
}
