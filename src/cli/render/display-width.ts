// What stands upon the character before it, joins two, or steers how one looks.
const withoutWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
// Ideographs, syllables and forms that are two columns wide, and pictures; see Unicode's East Asian Width.
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u;
// oxlint-disable-next-line no-control-regex
const plain = /^[\u0020-\u007e]*$/;
const tabColumns = 8;

/** How many columns of a terminal a text takes, as far as terminals agree on that; a tab counts in full. Pure. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (character === '\t') return tabColumns;
  if (withoutWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
