import { basename, matchesGlob, relative, sep } from 'node:path';
import { cut } from '../tool-outcomes.ts';

export interface SearchRequest {
  readonly pattern: string;
  readonly target: 'content' | 'files' | undefined;
  readonly file_glob: string | undefined;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly context: number | undefined;
}

export interface Row {
  readonly file: string;
  readonly line: number;
  readonly kind: 'match' | 'context';
  readonly text: string;
}

const defaultLimit = 50;
const mostHits = 500;
const longestText = 500;
const mostNames = 5;

/** Collects one page out of ripgrep's output, and looks one result further to know whether there is more. */
export class SearchHits {
  readonly typeGlob: string | undefined;
  readonly #root: string;
  readonly #request: SearchRequest;
  readonly #isSecret: (path: string) => boolean;
  #rows: Row[] = [];
  #count = 0;
  #untrue = 0;
  readonly #notText = new Set<string>();
  readonly #unread = new Set<string>();

  constructor(root: string, request: SearchRequest, isSecret: (path: string) => boolean) {
    this.#root = root;
    this.#request = request;
    this.#isSecret = isSecret;
    const glob = request.target === 'files' && isGlob(request.pattern) ? request.pattern : request.file_glob;
    this.typeGlob = glob === undefined ? undefined : nameGlob(glob);
  }

  /** How many results were seen, those before the page and the one behind it included. */
  get count(): number {
    return this.#count;
  }

  get #first(): number {
    return Math.max(0, this.#request.offset ?? 0);
  }

  get #last(): number {
    return this.#first + Math.min(Math.max(1, this.#request.limit ?? defaultLimit), mostHits);
  }

  add(line: string): 'go-on' | 'enough' {
    const row = this.#request.target === 'files' ? parseFile(line) : parseRow(line);
    if (row === undefined) this.#noteBinary(line);
    if (row === undefined || !this.#isWanted(row.file)) return 'go-on';
    if (row.kind === 'match') this.#count += 1;
    if (this.#count > this.#last) return 'enough';
    // A line of context may belong to the match before it or to the one after it.
    if (this.#count > this.#first || (row.kind === 'context' && this.#count === this.#first)) this.#rows.push(row);
    return 'go-on';
  }

  /** Takes note of a file or folder that could not be looked into. */
  addUnread(path: string): void {
    if (!this.#isSecret(path)) this.#unread.add(this.#show(path));
  }

  #noteBinary(line: string): void {
    const [, file] = binaryMatch.exec(line) ?? [];
    if (file !== undefined && this.#isWanted(file)) this.#notText.add(this.#show(file));
  }

  #isWanted(file: string): boolean {
    if (this.#isSecret(file)) return false;
    const name = relative(this.#root, file);
    if (name === '') return true;
    if (name.split(sep).some((part) => part.startsWith('.'))) return false;
    const { target, pattern, file_glob: glob } = this.#request;
    if (glob !== undefined && !matchesName(name, glob)) return false;
    if (target !== 'files') return true;
    return isGlob(pattern) ? matchesName(name, pattern) : name.toLowerCase().includes(pattern.toLowerCase());
  }

  /** Leaves out what does not stand in the files any more, or never did. */
  async keepTrue(findTrue: (rows: readonly Row[]) => Promise<ReadonlySet<Row>>): Promise<void> {
    if (this.#request.target === 'files') return;
    const found = await findTrue(this.#rows);
    const kept = this.#rows.filter((row) => found.has(row));
    this.#untrue = this.#rows.length - kept.length;
    this.#rows = kept;
  }

  describe(ending: 'complete' | 'cut-short'): string {
    const rows = this.#pageRows();
    const shown = rows.filter((row) => row.kind === 'match').length;
    const text = this.#request.target === 'files' ? this.#listFiles(rows) : this.#listMatches(rows);
    const nouns = this.#request.target === 'files' ? (['file', 'files'] as const) : (['match', 'matches'] as const);
    const notes = [`${shown === 0 ? 'no' : shown} ${nouns[shown === 1 ? 0 : 1]} in ${this.#root}`];
    if (this.#untrue > 0) notes.push('some left out, since their files were changed meanwhile');
    if (this.#notText.size > 0)
      notes.push(`matches in what is not text are left out, use grep -a in the terminal: ${listSome(this.#notText)}`);
    if (this.#unread.size > 0) notes.push(`could not be read: ${listSome(this.#unread)}`);
    if (this.#first > 0) notes.push(`from offset ${this.#first}`);
    if (this.#count > this.#last) notes.push(`there are more: offset=${this.#last}`);
    if (ending === 'cut-short') notes.push('stopped after 60 s, so some may be missing; narrow the search');
    return `${text}[${notes.join('; ')}]`;
  }

  /** The matches of the page, and those lines of context that are near one of them. */
  #pageRows(): readonly Row[] {
    const reach = this.#request.context ?? 0;
    const matches = this.#rows.filter((row) => row.kind === 'match');
    return this.#rows.filter((row) => {
      if (row.kind === 'match') return true;
      return matches.some((match) => match.file === row.file && Math.abs(match.line - row.line) <= reach);
    });
  }

  #listFiles(rows: readonly Row[]): string {
    return rows.map((row) => `${this.#show(row.file)}\n`).join('');
  }

  /** Each file's name once, then its lines, as `12:match` and `13-context`. */
  #listMatches(rows: readonly Row[]): string {
    let file = '';
    let text = '';
    for (const row of rows) {
      if (row.file !== file) text += `${this.#show(row.file)}\n`;
      file = row.file;
      text += `${row.line}${row.kind === 'match' ? ':' : '-'}${row.text}\n`;
    }
    return text;
  }

  #show(file: string): string {
    return relative(this.#root, file) === '' ? file : relative(this.#root, file);
  }
}

// What ripgrep says in the place of lines that a person could not read.
const binaryMatch = /^(.+): (?:WARNING: stopped searching binary file after match|binary file matches)\b/s;

function listSome(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, mostNames).join(', ');
  return names.size > mostNames ? `${shown} …` : shown;
}

/** ripgrep separates a file's name by NUL from the line number, and that by `:` or `-` from the text. */
function parseRow(line: string): Row | undefined {
  const found = /^([^\0]+)\0(\d+)([:-])(.*)$/s.exec(line);
  if (found === null) return undefined;
  const [, file = '', number, mark, text = ''] = found;
  return {
    file,
    line: Number(number),
    kind: mark === ':' ? 'match' : 'context',
    text: cut(text.trimEnd(), longestText),
  };
}

function parseFile(line: string): Row {
  return { file: line, line: 0, kind: 'match', text: '' };
}

function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** The part of a glob that a file's own name must match, for ripgrep to choose by; undefined where any name may do. */
function nameGlob(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  const isWhole = (name.match(/\{/g)?.length ?? 0) === (name.match(/\}/g)?.length ?? 0);
  return name === '' || name === '**' || !isWhole ? undefined : name;
}

/** A glob with a slash is about the way to a file, one without about its name, as in .gitignore. */
function matchesName(path: string, glob: string): boolean {
  if (!glob.includes('/')) return matchesGlob(basename(path), glob);
  const way = glob.replace(/^\.?\//, '');
  return matchesGlob(path, way) || matchesGlob(path, `**/${way}`);
}
