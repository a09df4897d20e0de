import { parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../../base/errors.ts';
import type { Rendered, RenderJob } from './render-job.ts';

// A program of its own, in a thread of its own: it gets one job, and says what came of it.
parentPort?.postMessage(await render(workerData as RenderJob), []);

async function render(job: RenderJob): Promise<Rendered> {
  try {
    switch (job.type) {
      case 'page':
        return await (await import('./render-html.ts')).renderHtml(job.html, job.url);
      case 'words':
        return { type: 'text', title: '', text: (await import('./words-of.ts')).wordsOf(job.html) };
      case 'pdf':
        return await (await import('./render-pdf.ts')).renderPdf(job.bytes);
      case 'hits':
        return await (await import('./read-hits.ts')).readHits(job.html);
    }
  } catch (thrown) {
    return { type: 'failed', reason: describeError(thrown).slice(0, 300) };
  }
}
