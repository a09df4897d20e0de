import type { Rendered } from './render-job.ts';
import { wordsOf } from './words-of.ts';

/** The readable part of a page as Markdown. Scripts are not run, and nothing is fetched. */
export async function renderHtml(html: string, url: string): Promise<Rendered> {
  const { Defuddle } = await import('defuddle/node');
  const document = await openDocument(html, url);
  // Without this it would ask other servers for what a page leaves to its scripts.
  const page = await Defuddle(document, url, { markdown: true, useAsync: false });
  const text = withoutInlineImages(page.content).trim();
  return { type: 'text', title: page.title.trim(), text: text === '' ? wordsOf(html) : text };
}

interface PageDocument {
  URL: string;
  styleSheets?: unknown;
  readonly defaultView: { getComputedStyle?: unknown } | null;
}

/** A document with what the reader of pages expects of a browser and linkedom does not have. */
async function openDocument(html: string, url: string): Promise<PageDocument> {
  const { parseHTML } = await import('linkedom');
  const document = parseHTML(withBody(html)).document as unknown as PageDocument;
  document.styleSheets ??= [];
  if (document.defaultView !== null) document.defaultView.getComputedStyle ??= () => ({ display: '' });
  document.URL = url;
  return document;
}

/** HTML does not need these tags, but linkedom finds no body without them. */
function withBody(html: string): string {
  const hasBody = /<body[\s>]/i.test(html);
  if (hasBody && /<html[\s>]/i.test(html)) return html;
  const rest = html.replace(/^\s*<!doctype[^>]*>/i, '').replaceAll(/<\/?html[^>]*>/gi, '');
  if (hasBody) return `<!doctype html><html>${rest}</html>`;
  const [head, body] = splitAfterHead(rest);
  return `<!doctype html><html>${head}<body>${body}</body></html>`;
}

function splitAfterHead(html: string): readonly [head: string, rest: string] {
  const end = /<\/head\s*>/i.exec(html);
  const place = end === null ? 0 : end.index + end[0].length;
  return [html.slice(0, place), html.slice(place)];
}

function withoutInlineImages(markdown: string): string {
  return markdown.replaceAll(/!\[([^\]]*)\]\(data:[^)]*\)/g, (_image, words: string) =>
    words === '' ? '' : `[${words}]`,
  );
}
