import { textPart } from '../../model/message.ts';
import { keyMark } from '../../base/redact.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { Risk, ToolContext, ToolPlace } from '../../model/tool.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { failed } from '../tool-outcomes.ts';
import type { Workspace } from '../workspace.ts';
import type { ReadStamps } from './read-stamps.ts';

/** What everything that writes files shares. */
export interface WriteDeps {
  readonly workspace: Workspace;
  readonly checkpoints: Checkpoints;
  readonly stamps: ReadStamps;
}

export interface WriteAct<Input> {
  /** All of it, as a person is asked about it. */
  readonly describe: (path: string, input: Input) => string;
  /** What happens where the file is not the one any more that the model read. */
  readonly onStale: 'fail' | 'say-so';
}

/** Writes a file. What is about to be written is told to `keep` first, and awaited: it keeps what stood there. */
export type Write = (path: string, keep: (content: string) => Promise<void>) => Promise<ToolOutcome>;

const staleNote = '[the file was changed since you last read it, by someone else or by a command]';

/** Why nothing is written that holds the mark of a key. */
export const markedText = `the text holds ${keyMark}, which stands for a key that you may not see; a file with it would be broken. Leave that part of the file alone, or change around it with patch`;

/**
 * Holds writes to the places that were judged. Links may be swapped while a question stands, so a write is judged again
 * right before it happens: what a person was not asked about in just these words is not written.
 */
export class WriteGuard<Input extends { readonly path: string }> {
  readonly #workspace: Workspace;
  readonly #checkpoints: Checkpoints;
  readonly #stamps: ReadStamps;
  readonly #act: WriteAct<Input>;
  readonly #asked = new WeakMap<Input, string>();

  constructor({ workspace, checkpoints, stamps }: WriteDeps, act: WriteAct<Input>) {
    this.#workspace = workspace;
    this.#checkpoints = checkpoints;
    this.#stamps = stamps;
    this.#act = act;
  }

  assess(input: Input, place: ToolPlace): Risk {
    const risk = this.#judge(this.#workspace.locate(input.path, place), input, place);
    if (risk.type === 'ask') this.#asked.set(input, risk.question);
    return risk;
  }

  /** Runs the work on the path that the input means, alone there, or says why it may not. */
  async run(input: Input, context: ToolContext, work: Write): Promise<ToolOutcome> {
    const path = this.#workspace.locate(input.path, context);
    return await this.#checkpoints.locks.run(path, async () => {
      const reason = this.#findObjection(path, input, context);
      if (reason !== undefined) return { type: 'refused', reason };
      const isStale = await this.#stamps.isStale(context.sessionId, path);
      if (isStale && this.#act.onStale === 'fail')
        return failed(
          `${path} was changed since you last read it, by someone else or by a command; read it again first`,
        );
      const outcome = await work(path, (content) => this.#checkpoints.keep(context, path, content));
      if (outcome.type !== 'done') return outcome;
      await this.#stamps.note(context.sessionId, path);
      return isStale ? { ...outcome, parts: [...outcome.parts, textPart(staleNote)] } : outcome;
    });
  }

  #judge(path: string, input: Input, place: ToolPlace): Risk {
    const describe = (): string => this.#act.describe(path, input);
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
