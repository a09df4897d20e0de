import type { ToolOutcome } from '../../model/message.ts';
import type { Tool } from '../../model/tool.ts';
import { settle } from '../tool-outcomes.ts';
import { inputSchema } from '../terminal-input.ts';
import type { TerminalInput } from '../terminal-input.ts';
import type { RemoteShell } from './remote-shell.ts';

/** The shell where it is not on this machine: the same tool, whose commands run elsewhere. */
export function createRemoteTerminal(shell: RemoteShell): Tool<TerminalInput> {
  const { name, note } = shell.there;
  return {
    name: 'terminal',
    toolset: 'terminal',
    description: `Run a bash command on ${name}. The current folder and exported variables persist between calls; stdin is empty. Output over 50,000 characters loses its middle. Beware: ${note}. No background: use nohup COMMAND > FILE 2>&1 & for long work.`,
    input: inputSchema,
    effect: 'unsafe',
    assess: (input, place) => shell.assess(input, place),
    footprint: () => ({ type: 'anything' }),
    run: (input, context) => settle(context.signal, () => shell.run(input, context)),
    verify: () => Promise.resolve('unknown'),
    recover: (input, context): Promise<ToolOutcome | undefined> => shell.recover(input, context),
  };
}
