/** A text with nothing in it that nobody sees, and how many characters that took. */
export interface CleanText {
  readonly text: string;
  readonly removed: number;
}

/**
 * Takes out what a person who reads a file does not see and a model does: control characters, marks that turn the
 * direction of text, characters without width, tags, and selectors that select nothing. What emoji and the scripts that
 * need joiners are written with stays. Pure.
 */
export function removeInvisible(source: string): CleanText {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  if (!suspicious.test(text)) return { text, removed: 0 };
  let removed = 0;
  const clean = text.replaceAll(invisible(), () => {
    removed += 1;
    return '';
  });
  return { text: clean, removed };
}

// Nearly every file is done with this.
const suspicious = /[^\n\t\u0020-\u007e]/;

/** Built only where it is needed: properties of characters take a millisecond to look up. */
function invisible(): RegExp {
  const always = String.raw`[\p{Cc}--[\n\t]]|\p{Bidi_Control}|[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180E\u200B\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]`;
  // Joiners belong into emoji and into scripts such as Persian and Hindi, one at a time.
  const joiner = String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\uFE00-\uFE0F]]])[\u200C\u200D]`;
  // A selector says how the emoji before it looks; any other carries something else.
  const selector = String.raw`[\u180B-\u180D\u180F\uFE00-\uFE0D]|(?<!\p{Emoji})[\uFE0E\uFE0F]`;
  return new RegExp([always, joiner, selector].join('|'), 'gv');
}
