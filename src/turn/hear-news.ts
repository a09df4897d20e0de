import { newsKey } from '../model/news-key.ts';
import type { TaskNews } from '../model/tool.ts';
import type { Recorder } from './recorder.ts';

export interface NewsDeps {
  readonly recorder: Recorder;
  /** What has ended in the session without the model having heard of it. */
  readonly unheardNews: () => readonly TaskNews[];
}

/**
 * Adds to the turn what has ended meanwhile, so that the next request carries it: before what the person says now, or the
 * model would answer the note; behind everything once a request has carried that. That the model was told is noted in the
 * same write: through however many crashes it is told once.
 */
export async function hearNews({ recorder, unheardNews }: NewsDeps, signal: AbortSignal): Promise<void> {
  const { hasAsked, compacted } = recorder.state;
  // A compaction marks its place by how many messages of the turn lie before it.
  const stands = hasAsked || compacted !== undefined ? {} : ({ stands: 'first' } as const);
  for (const news of unheardNews()) {
    await recorder.write(async (tx) => {
      const isNew = (await tx.inbox.note(newsKey(news, 'model'))) === 'new';
      const entry = { type: 'turn.nudged', cause: 'news', text: news.forModel, ...stands } as const;
      return isNew ? await recorder.appendIn(tx, [entry]) : [];
    }, signal);
    news.noteHeard();
  }
}
