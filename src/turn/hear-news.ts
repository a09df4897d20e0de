import { newsKey } from '../model/news-key.ts';
import type { TaskNews } from '../model/tool.ts';
import type { Recorder } from './recorder.ts';

export interface NewsDeps {
  readonly recorder: Recorder;
  /** What has ended in the session without the model having heard of it. */
  readonly unheardNews: () => readonly TaskNews[];
}

/**
 * Adds to the turn what has ended meanwhile, so that the next request carries it. That the model was told is noted in the
 * same write: through however many crashes it is told once.
 */
export async function hearNews({ recorder, unheardNews }: NewsDeps, signal: AbortSignal): Promise<void> {
  for (const news of unheardNews()) {
    await recorder.write(async (tx) => {
      const isNew = (await tx.inbox.note(newsKey(news, 'model'))) === 'new';
      return isNew ? await recorder.appendIn(tx, [{ type: 'turn.nudged', cause: 'news', text: news.forModel }]) : [];
    }, signal);
    news.noteHeard();
  }
}
