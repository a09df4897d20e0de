import { scanTemplate, scanWord } from './scan-word.ts';
import type { Word } from './scan-word.ts';

/** One command of a shell text: its words as written, its redirections, and the texts it reads from `<<` and `<<<`. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly inputs: readonly Word[];
}

export interface Redirect {
  readonly operator: string;
  readonly target: Word;
}

export type ShellItem =
  | { readonly type: 'command'; readonly command: SimpleCommand }
  | { readonly type: 'operator'; readonly text: string };

export type ParsedShell =
  | { readonly type: 'parsed'; readonly items: readonly ShellItem[] }
  | { readonly type: 'unclear'; readonly reason: string };

/**
 * Splits a shell text into commands and the operators between them. It knows quoting, substitution, redirection and
 * here-documents, which decide where a command begins; it does not know grammar, and reports what it cannot follow.
 */
export function parseShell(text: string): ParsedShell {
  return new ShellReader(text).read();
}

const operator = /\|\||&&|;;&|;;|;&|\|&|[;|&()\n]/y;
const redirection = /(?:[0-9]+|\{\w+\})?(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)|&>>?/y;
const blank = /(?:[ \t\r]|\\\n)+/y;
const comment = /#[^\n]*/y;

interface PendingDocument {
  readonly delimiter: Word;
  readonly inputs: Word[];
  readonly indent: 'kept' | 'stripped';
}

/** Reads from left to right; `#at` is always the first character that no item contains yet. */
class ShellReader {
  readonly #text: string;
  #at = 0;
  readonly #items: ShellItem[] = [];
  #words: Word[] = [];
  #redirects: Redirect[] = [];
  #inputs: Word[] = [];
  #documents: PendingDocument[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): ParsedShell {
    while (this.#at < this.#text.length) {
      const problem = this.#readNext();
      if (problem !== undefined) return { type: 'unclear', reason: problem };
    }
    this.#endCommand();
    return { type: 'parsed', items: this.#items };
  }

  #readNext(): string | undefined {
    if (this.#match(blank) !== undefined || this.#match(comment) !== undefined) return undefined;
    const arrow = this.#match(redirection, 'not-substitution');
    if (arrow !== undefined) return this.#readRedirect(arrow);
    const found = this.#match(operator);
    if (found === undefined) return this.#readWord();
    this.#endCommand();
    this.#items.push({ type: 'operator', text: found });
    if (found === '\n') this.#readDocuments();
    return undefined;
  }

  #match(pattern: RegExp, except?: 'not-substitution'): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    // `<(…)` and `>(…)` are words that hold a command, not redirections.
    const next = this.#text.charAt(this.#at + found.length);
    if (except === 'not-substitution' && next === '(' && (found === '<' || found === '>')) return undefined;
    this.#at += found.length;
    return found;
  }

  #readWord(): string | undefined {
    const scanned = scanWord(this.#text, this.#at);
    if (scanned.type === 'unclear') return scanned.reason;
    if (scanned.end === this.#at) return `an unexpected ${this.#text.charAt(this.#at)}`;
    this.#words.push(scanned.word);
    this.#at = scanned.end;
    return undefined;
  }

  #readRedirect(arrow: string): string | undefined {
    this.#match(blank);
    const scanned = scanWord(this.#text, this.#at);
    if (scanned.type === 'unclear') return scanned.reason;
    if (scanned.end === this.#at) return 'a redirection without a target';
    this.#at = scanned.end;
    const kind = arrow.replace(/^(?:[0-9]+|\{\w+\})/, '');
    this.#redirects.push({ operator: kind, target: scanned.word });
    if (kind === '<<<') this.#inputs.push(scanned.word);
    if (kind === '<<' || kind === '<<-') {
      const indent = kind === '<<-' ? 'stripped' : 'kept';
      this.#documents.push({ delimiter: scanned.word, inputs: this.#inputs, indent });
    }
    return undefined;
  }

  /** The bodies of here-documents stand after the line that announces them. */
  #readDocuments(): void {
    for (const document of this.#documents) document.inputs.push(this.#readDocument(document));
    this.#documents = [];
  }

  #readDocument(document: PendingDocument): Word {
    const delimiter = document.delimiter.map((piece) => (piece.type === 'literal' ? piece.text : '')).join('');
    const lines: string[] = [];
    while (this.#at < this.#text.length) {
      const end = this.#text.indexOf('\n', this.#at);
      const line = this.#text.slice(this.#at, end === -1 ? undefined : end);
      this.#at = end === -1 ? this.#text.length : end + 1;
      if ((document.indent === 'stripped' ? line.replace(/^\t+/, '') : line) === delimiter) break;
      lines.push(line);
    }
    const body = lines.join('\n');
    // A quoted delimiter switches substitution off inside the document.
    const isQuoted = document.delimiter.some((piece) => piece.type === 'literal' && piece.quoting === 'quoted');
    return isQuoted ? [{ type: 'literal', text: body, quoting: 'quoted' }] : scanTemplate(body);
  }

  #endCommand(): void {
    if (this.#words.length > 0 || this.#redirects.length > 0) {
      const command = { words: this.#words, redirects: this.#redirects, inputs: this.#inputs };
      this.#items.push({ type: 'command', command });
    }
    this.#words = [];
    this.#redirects = [];
    this.#inputs = [];
  }
}
