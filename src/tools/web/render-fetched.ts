import type { Clock } from '../../base/clock.ts';
import { describeBytes } from '../../base/describe-bytes.ts';
import { decodeText, isBinary } from './decode-text.ts';
import { describeStatus } from './describe-status.ts';
import type { Fetched } from './fetch-url.ts';
import { renderApart } from './render-apart.ts';
import type { Rendered } from './render-job.ts';

export type PageText =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'failed'; readonly reason: string };

const mostTextBytes = 5 * 1024 * 1024;
const mostPdfBytes = 20 * 1024 * 1024;
const mostLaidOut = 1_500_000;

/** How much of an answer of this type is worth reading. */
export function mostBytesOf(contentType: string): number {
  return mediaTypeOf(contentType) === 'application/pdf' ? mostPdfBytes : mostTextBytes;
}

/** What came as text: pages as Markdown, PDFs as their words, other text as it is. */
export async function renderFetched(fetched: Fetched, clock: Clock, signal: AbortSignal): Promise<PageText> {
  const { url, status, bytes, contentType } = fetched;
  if (status < 200 || status > 299) return { type: 'failed', reason: `${url.href} answered ${describeStatus(status)}` };
  const kind = kindOf(contentType, bytes);
  if (kind === 'other') {
    const type = mediaTypeOf(contentType);
    // What a stranger wrote is not passed on in a sentence of ours, unless it is what it should be.
    const what = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) ? type : 'something that is no text';
    return {
      type: 'failed',
      reason: `${url.href} is ${what} (${describeBytes(bytes.length)}), which cannot be read here`,
    };
  }
  const rendered = await renderKind(kind, fetched, clock, signal);
  if (rendered.type === 'failed')
    return { type: 'failed', reason: `${url.href} could not be read: ${rendered.reason}` };
  if (rendered.text.trim() !== '') return rendered;
  const why = kind === 'pdf' ? 'it may be made of pictures' : 'it may be drawn by scripts';
  return { type: 'failed', reason: `${url.href} was fetched, but there is no text in it: ${why}` };
}

type Kind = 'html' | 'pdf' | 'text' | 'other';

async function renderKind(
  kind: 'html' | 'pdf' | 'text',
  { url, bytes, extent, contentType }: Fetched,
  clock: Clock,
  signal: AbortSignal,
): Promise<PageText> {
  if (kind === 'pdf') {
    if (extent === 'cut') return { type: 'failed', reason: `it is larger than ${describeBytes(mostPdfBytes)}` };
    return toPageText(await renderApart({ type: 'pdf', bytes }, clock, signal), '');
  }
  const text = decodeText(bytes, contentType);
  if (isBinary(text)) return { type: 'failed', reason: 'it is binary' };
  const rest = extent === 'cut' ? `\n\n[what comes after ${describeBytes(mostTextBytes)} was left out]` : '';
  if (kind === 'text') return { type: 'text', text: `${text}${rest}` };
  return toPageText(await renderPage(text, url, clock, signal), rest);
}

/** What is too much to be laid out is read word by word. */
async function renderPage(html: string, { href: url }: URL, clock: Clock, signal: AbortSignal): Promise<Rendered> {
  if (html.length <= mostLaidOut) {
    const rendered = await renderApart({ type: 'page', html, url }, clock, signal);
    if (rendered.type !== 'failed') return rendered;
  }
  return await renderApart({ type: 'words', html }, clock, signal);
}

function toPageText(rendered: Rendered, rest: string): PageText {
  switch (rendered.type) {
    case 'failed':
      return rendered;
    case 'hits':
      return { type: 'failed', reason: 'it was read as something else' };
    case 'text':
      if (rendered.text === '') return { type: 'text', text: '' };
      return { type: 'text', text: `${rendered.title === '' ? '' : `# ${rendered.title}\n\n`}${rendered.text}${rest}` };
  }
}

/** By what the server says, or where it says nothing of use by how it begins. */
function kindOf(contentType: string, bytes: Buffer): Kind {
  const type = mediaTypeOf(contentType);
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'application/pdf') return 'pdf';
  if (/^text\/|[/+](?:json|xml|yaml|toml)$|^application\/(?:x-)?(?:javascript|ndjson|yaml|toml|sh|sql)$/.test(type))
    return 'text';
  if (type !== '' && type !== 'application/octet-stream' && type !== 'binary/octet-stream') return 'other';
  const start = bytes.subarray(0, 1024).toString('latin1').trimStart();
  if (start.startsWith('%PDF-')) return 'pdf';
  if (/^<(?:!doctype html|html)/i.test(start)) return 'html';
  return start.includes('\0') ? 'other' : 'text';
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
