import type { Rendered } from './render-job.ts';

const mostPages = 300;

/** The text of a PDF, page by page. */
export async function renderPdf(bytes: Uint8Array): Promise<Rendered> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(bytes), { useSystemFonts: false });
  const pages: string[] = [];
  for (let number = 1; number <= Math.min(document.numPages, mostPages); number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    if (text.trim() !== '') pages.push(`[page ${number} of ${document.numPages}]\n${text.trim()}`);
    page.cleanup();
  }
  if (document.numPages > mostPages) pages.push(`[the ${document.numPages - mostPages} pages after that are left out]`);
  return { type: 'text', title: '', text: pages.join('\n\n') };
}
