import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Checkpoint, FileHistory, Rollback } from '../../model/file-history.ts';
import type { ToolContext } from '../../model/tool.ts';
import { PathLocks } from '../files/path-locks.ts';

export interface CheckpointsOptions {
  /** Holds one folder for each session. */
  readonly taskFolder: string;
  readonly clock: Clock;
}

/** What stands for the content of a file that is about to be written. */
export type KeepBefore = (path: string, content: string) => Promise<void>;

/**
 * What files were like before a turn first wrote to them. It is on the disk before the write begins, together with what
 * is to be written, so that later it can be told whether someone else has written since.
 */
export class Checkpoints implements FileHistory {
  /** Held by whoever writes a file, so that a rollback never meets a write. */
  readonly locks = new PathLocks();
  readonly #options: CheckpointsOptions;
  readonly #sessions = new PathLocks();
  #isSwept = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Keeps what stands at the path, unless this turn has written there before. Throws where it cannot be kept. */
  async keep(
    { sessionId, turnId }: Pick<ToolContext, 'sessionId' | 'turnId'>,
    path: string,
    content: string,
  ): Promise<void> {
    const { keepBefore } = await import('./keep-before.ts');
    await this.#sweepOnce();
    await this.#alone(sessionId, async (folder) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await keepBefore({ folder, turnId, now: this.#options.clock.now() }, path, content);
    });
  }

  async list(sessionId: SessionId): Promise<readonly Checkpoint[]> {
    const { listCheckpoints } = await import('./roll-back.ts');
    return await this.#alone(sessionId, listCheckpoints);
  }

  async look(sessionId: SessionId, number: number): Promise<Rollback> {
    const { planRollback } = await import('./roll-back.ts');
    return await this.#alone(sessionId, (folder) => planRollback(folder, number));
  }

  async rollBack(sessionId: SessionId, number: number, how: 'careful' | 'forced'): Promise<Rollback> {
    const { rollBack } = await import('./roll-back.ts');
    const now = this.#options.clock.now();
    return await this.#alone(sessionId, (folder) => rollBack({ folder, number, how, now, locks: this.locks }));
  }

  async remove(sessionId: SessionId): Promise<void> {
    await this.#alone(sessionId, (folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  }

  async #alone<Result>(sessionId: SessionId, work: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = join(this.#options.taskFolder, sessionId, 'checkpoints');
    return await this.#sessions.run(folder, () => work(folder));
  }

  /** Sessions in which nothing is written any more give back their space, too. */
  async #sweepOnce(): Promise<void> {
    if (this.#isSwept) return;
    this.#isSwept = true;
    const { prune } = await import('./prune-checkpoints.ts');
    const names = await readdir(this.#options.taskFolder).catch(() => []);
    for (const name of names.filter((each) => each.startsWith('ses_')))
      await this.#alone(name as SessionId, (folder) => prune(folder, this.#options.clock.now()));
  }
}
