// Characters of Unicode's tags, which no font shows: they stand for escape codes while text is measured and wrapped, since they
// take no room. They are taken out of whatever a model says before any is put in.
const marks = {
  bold: ['\u{E0042}', '\u{E0062}'],
  italic: ['\u{E0049}', '\u{E0069}'],
  code: ['\u{E0043}', '\u{E0063}'],
  dim: ['\u{E0044}', '\u{E0064}'],
  struck: ['\u{E0053}', '\u{E0073}'],
} as const;

export type Mark = keyof typeof marks;

const codes: Readonly<Record<Mark, readonly [string, string]>> = {
  bold: ['\u001b[1m', '\u001b[22m'],
  italic: ['\u001b[3m', '\u001b[23m'],
  code: ['\u001b[36m', '\u001b[39m'],
  dim: ['\u001b[2m', '\u001b[22m'],
  struck: ['\u001b[9m', '\u001b[29m'],
};

const escapes: ReadonlyMap<string, string> = new Map(
  (Object.keys(marks) as Mark[]).flatMap((name) =>
    marks[name].map((character, side) => [character, codes[name][side] ?? '']),
  ),
);

const anyMark = /[\u{E0000}-\u{E007F}]/gu;

/** Text between the marks of a look. Pure. */
export function mark(name: Mark, text: string): string {
  return text === '' ? '' : begin(name) + text + end(name);
}

export function begin(name: Mark): string {
  return marks[name][0];
}

export function end(name: Mark): string {
  return marks[name][1];
}

/** The escape codes that marks stand for. Pure. */
export function paintMarks(text: string): string {
  return text.replaceAll(anyMark, (character) => escapes.get(character) ?? '');
}

/** Code in backticks, as it was written, for where nothing else sets it apart. Pure. */
export function quoteCode(text: string): string {
  return text.replaceAll(begin('code'), '`').replaceAll(end('code'), '`');
}

/** The text without these marks, or without any. Pure. */
export function withoutMarks(text: string, names?: readonly Mark[]): string {
  const unwanted = names && new Set<string>(names.flatMap((name) => marks[name]));
  return text.replaceAll(anyMark, (character) => (unwanted?.has(character) === false ? character : ''));
}
