// Control characters except tab and line feed; a carriage return, too, can hide what stands before it.
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// Characters that turn the direction of what follows, and line separators that some terminals obey.
const turners = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text from a model or a tool, made unable to drive the terminal. Works on any piece of a stream by itself. Pure. */
export function neutralise(text: string): string {
  return text.replaceAll('\r', '').replaceAll(controls, picture).replaceAll(turners, '');
}

/** Text that somebody has to judge: nothing in it is hidden, everything unprintable is spelled out. Pure. */
export function makeVisible(text: string): string {
  // Characters that take no room, and spaces that are not the space they look like. Built here, since it is rarely needed
  // and takes a millisecond.
  const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
  return text.replaceAll(controls, picture).replaceAll(hidden, spell);
}

/** The picture that Unicode has for a control character; the later ones have none. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : spell(character);
}

function spell(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
