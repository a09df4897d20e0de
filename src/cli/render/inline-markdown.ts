import { mark } from './text-marks.ts';
import type { Mark } from './text-marks.ts';

interface Found {
  readonly shown: string;
  /** How many characters of the source it stands for. */
  readonly length: number;
}

type Look = Found | 'nothing' | 'unfinished';

// What is still open after so much is no markup.
const longestHeld = 1000;
const special = /[\\`*_~[<]/;

/**
 * The words of one line, with what stands between `**`, `*`, backticks and so on set apart by marks. Plain words are given on as
 * they come; only what may be markup is held until it is closed, and is text after all where the line ends before that.
 */
export class InlineMarkdown {
  #held = '';
  /** The character before what is held: an underscore inside a word is no markup. */
  #last = '';

  take(text: string): string {
    this.#held += text;
    return this.#drain('more-comes');
  }

  /** The line is over. */
  end(): string {
    const out = this.#drain('all-there');
    this.#last = '';
    return out;
  }

  #drain(rest: Rest): string {
    let out = '';
    while (this.#held !== '') {
      const at = this.#held.search(special);
      out += this.#give(at === -1 ? this.#held.length : at);
      if (this.#held === '') break;
      const look = findMarkup(this.#held.slice(0, longestHeld), this.#last, rest);
      if (look === 'unfinished' && this.#held.length < longestHeld) break;
      if (typeof look === 'string') out += this.#give(1);
      else {
        out += look.shown;
        this.#give(look.length);
      }
    }
    return out;
  }

  #give(length: number): string {
    const given = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#last = given.at(-1) ?? this.#last;
    return given;
  }
}

/** A text that is all there, with marks. Pure. */
export function styleInline(text: string): string {
  const inline = new InlineMarkdown();
  return inline.take(text) + inline.end();
}

type Rest = 'more-comes' | 'all-there';

function findMarkup(text: string, before: string, rest: Rest): Look {
  const look = finders[text[0] ?? '']?.(text, rest, before) ?? 'nothing';
  return look === 'unfinished' && rest === 'all-there' ? 'nothing' : look;
}

type Finder = (text: string, rest: Rest, before: string) => Look;

const finders: Readonly<Record<string, Finder>> = {
  '\\': findEscape,
  '`': findCode,
  '*': (text, rest) => findEmphasis(text, '*', rest),
  _: (text, rest, before) => (/\w/.test(before) ? 'nothing' : findEmphasis(text, '_', rest)),
  '~': (text, rest) => (text === '~' ? 'unfinished' : between(text, '~~', 'struck', rest)),
  '[': findLink,
  '<': findAddress,
};

function findEscape(text: string): Look {
  const next = text[1];
  if (next === undefined) return 'unfinished';
  return /[!-/:-@[-`{-~]/.test(next) ? { shown: next, length: 2 } : 'nothing';
}

function findCode(text: string, rest: Rest): Look {
  const fence = /^`+/.exec(text)?.[0] ?? '';
  const found = new RegExp(`^${fence}([^\`]|[^\`][\\s\\S]*?[^\`])${fence}(?!\`)`).exec(text);
  if (found === null || mayGrow(found[0].length, text, rest)) return 'unfinished';
  const inside = found[1] ?? '';
  // One blank on either side lets code begin or end with a backtick.
  const code = fence.length > 1 ? inside.replace(/^ (.*) $/, '$1') : inside;
  return { shown: mark('code', code), length: found[0].length };
}

/** Whether the signs at the end of what is there may become more. */
function mayGrow(length: number, text: string, rest: Rest): boolean {
  return length === text.length && rest === 'more-comes';
}

function findEmphasis(text: string, sign: '*' | '_', rest: Rest): Look {
  const run = runAt(text, 0);
  if (run === text.length) return 'unfinished';
  if (run > 3) return 'nothing';
  return between(text, sign.repeat(run), run === 1 ? 'italic' : 'bold', rest);
}

/** What stands between two of the same signs, with no blank on the inside of either. */
function between(text: string, sign: string, name: Mark, rest: Rest): Look {
  const from = sign.length;
  if (!text.startsWith(sign) || /\s/.test(text[from] ?? 'x')) return 'nothing';
  for (let at = text.indexOf(sign, from + 1); at !== -1;) {
    const run = runAt(text, at);
    const end = at + run;
    if (mayGrow(end, text, rest)) return 'unfinished';
    const isInWord = sign.startsWith('_') && /\w/.test(text[end] ?? ' ');
    // The signs in front of the last ones close what is inside.
    const inside = text.slice(from, end - sign.length);
    if (!/\s/.test(text[at - 1] ?? ' ') && !isInWord && (run === sign.length || run === 3)) {
      return { shown: mark(name, styleInline(inside)), length: end };
    }
    at = text.indexOf(sign, end);
  }
  return 'unfinished';
}

/** How many of the same sign stand in a row there. */
function runAt(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] === text[at]) end += 1;
  return end - at;
}

const openLink = /^\[[^\]]*(?:\](?:\(\S*(?:\s+(?:"[^"]*"?)?)?)?)?$/;

/** The words of a link, and where it leads: most terminals make an address one that can be clicked. */
function findLink(text: string): Look {
  const found = /^\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/.exec(text);
  if (found === null) return openLink.test(text) ? 'unfinished' : 'nothing';
  const [whole, words = '', address = ''] = found;
  const isSame = words === '' || words === address;
  return { shown: isSame ? address : `${styleInline(words)} ${mark('dim', `(${address})`)}`, length: whole.length };
}

function findAddress(text: string): Look {
  const found = /^<((?:https?:\/\/|mailto:)[^<>\s]+)>/.exec(text);
  if (found !== null) return { shown: found[1] ?? '', length: found[0].length };
  return /^<(?:[a-z]{0,7}|(?:https?|mailto):[^<>\s]*)$/.test(text) ? 'unfinished' : 'nothing';
}
