import { keyMark } from '../../base/redact.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { Risk, ToolPlace } from '../../model/tool.ts';
import type { Workspace } from '../workspace.ts';
import type { PathLocks } from './path-locks.ts';

/** Why nothing is written that holds the mark of a key. */
export const markedText = `the text holds ${keyMark}, which stands for a key that you may not see; a file with it would be broken. Leave that part of the file alone, or change around it with patch`;

/**
 * Holds writes to the places that were judged. Links may be swapped while a question stands, so a write is judged again
 * right before it happens: what a person was not asked about in just these words is not written.
 */
export class WriteGuard<Input extends { readonly path: string }> {
  readonly #workspace: Workspace;
  readonly #locks: PathLocks;
  readonly #describe: (path: string, input: Input) => string;
  readonly #asked = new WeakMap<Input, string>();

  constructor(workspace: Workspace, locks: PathLocks, describe: (path: string, input: Input) => string) {
    this.#workspace = workspace;
    this.#locks = locks;
    this.#describe = describe;
  }

  assess(input: Input, place: ToolPlace): Risk {
    const risk = this.#judge(this.#workspace.locate(input.path, place), input, place);
    if (risk.type === 'ask') this.#asked.set(input, risk.question);
    return risk;
  }

  /** Runs the work on the path that the input means, alone there, or says why it may not. */
  async run(input: Input, place: ToolPlace, work: (path: string) => Promise<ToolOutcome>): Promise<ToolOutcome> {
    const path = this.#workspace.locate(input.path, place);
    return await this.#locks.run(path, async () => {
      const reason = this.#findObjection(path, input, place);
      return reason === undefined ? await work(path) : { type: 'refused', reason };
    });
  }

  #judge(path: string, input: Input, place: ToolPlace): Risk {
    const describe = (): string => this.#describe(path, input);
    // What stands for a key must never take its place in a file.
    if (describe().includes(keyMark)) return { type: 'forbidden', reason: markedText };
    return this.#workspace.judgeWrite(path, place, describe);
  }

  #findObjection(path: string, input: Input, place: ToolPlace): string | undefined {
    if (this.#workspace.locate(input.path, place) !== path)
      return `${input.path} was moved meanwhile; look at it again`;
    const risk = this.#judge(path, input, place);
    switch (risk.type) {
      case 'safe':
        return undefined;
      case 'forbidden':
        return risk.reason;
      case 'ask':
        if (this.#asked.get(input) === risk.question) return undefined;
        return `${input.path} now leads to ${path}, which the user was not asked about`;
    }
  }
}
