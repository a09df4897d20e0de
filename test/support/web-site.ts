import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type SitePage =
  | string
  | { readonly type: string; readonly body: string | Uint8Array; readonly headers?: Readonly<Record<string, string>> }
  | ((request: SeenRequest, response: ServerResponse) => void);

export interface WebSite extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** The host with its port, as the settings would name it. */
  readonly host: string;
  readonly seen: readonly SeenRequest[];
  /** How many connections were ever opened to it. */
  readonly connections: () => number;
  /** Resolves when a request for this path has come, now or earlier. */
  whenAsked(path: string): Promise<SeenRequest>;
}

/** A site of somebody else's, on loopback. A text is a page of HTML; what is not listed is not there. */
export async function startWebSite(pages: Readonly<Record<string, SitePage>>, address = '127.0.0.1'): Promise<WebSite> {
  const seen: SeenRequest[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  const server = createServer((message, response) => {
    let body = '';
    message.on('data', (piece: Buffer) => (body += piece.toString()));
    message.on('end', () => {
      const request = { method: message.method ?? '', path: message.url ?? '', headers: message.headers, body };
      seen.push(request);
      for (const wake of waiting) wake();
      answer(pages[request.path.split('?', 1)[0] ?? ''], request, response);
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    port,
    host,
    origin: `http://${host}`,
    seen,
    connections: () => connections,
    async whenAsked(path) {
      for (;;) {
        const found = seen.find((request) => request.path === path);
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(page: SitePage | undefined, request: SeenRequest, response: ServerResponse): void {
  if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Not here.</p>');
  else if (typeof page === 'function') page(request, response);
  else if (typeof page === 'string') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  else response.writeHead(200, { 'content-type': page.type, ...page.headers }).end(page.body);
}

/** A page that has moved. */
export function movedTo(location: string, status = 302): SitePage {
  return (_request, response) => response.writeHead(status, { location }).end();
}

/** A PDF with one line of text on each of its pages. */
export function makePdf(lines: readonly string[]): Buffer {
  const font = 3;
  const pageIds = lines.map((_line, index) => 4 + index * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, index) => {
      const stream = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 ${font} 0 R >> >> /Contents ${(pageIds[index] ?? 0) + 1} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const start = text.length;
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
