import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type PageFiles = ReadonlyMap<string, PageFile>;

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

const scripts: readonly string[] = [
  'page',
  'chat-list',
  'connection',
  'drafts',
  'end-in-sight',
  'markdown',
  'message-list',
  'outgoing',
  'plain-lines',
  'question',
  'tab-title',
];

/** Every file that a browser can ask for, and nothing else: paths are looked up, never joined. */
const files: readonly (readonly [string, string, string])[] = [
  ['/', 'page.html', html],
  ['/page.css', 'page.css', css],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
  ...scripts.map((name) => [`/${name}.js`, `${name}.js`, script] as const),
];

/** Reads the page into memory. It stands in `ui/`, beside the sources as beside the built program. */
export async function readPageFiles(): Promise<PageFiles> {
  const folder = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../ui' : '../ui');
  const own = files.map(async ([path, name, type]) => [path, { type, bytes: await read(join(folder, name)) }] as const);
  const library = createRequire(import.meta.url).resolve('marked');
  const marked = join(dirname(library), 'marked.esm.js');
  return new Map([...(await Promise.all(own)), ['/marked.js', { type: script, bytes: await read(marked) }]]);
}

async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(path));
}
