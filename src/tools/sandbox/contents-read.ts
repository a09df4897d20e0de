/** Programs that show what is in files, each with its options that take the next word as a value. */
const readers: ReadonlyMap<string, string> = new Map([
  ['cat', ''],
  ['cmp', ''],
  ['cut', 'bcdf'],
  ['diff', ''],
  ['file', ''],
  ['grep', ''],
  ['head', 'cn'],
  ['md5sum', ''],
  ['nl', ''],
  ['sha256sum', ''],
  ['sort', ''],
  ['tail', 'cn'],
  ['wc', ''],
]);

const count = /^[+-]?\d+[A-Za-z]*$/;

/** The words of a plain read that may name files whose contents it shows; `words` are all behind the program. Pure. */
export function findContentsRead(program: string, words: readonly string[]): readonly string[] {
  const valued = readers.get(program);
  if (valued === undefined) return [];
  const named = words.filter((word, index) => {
    const before = words[index - 1] ?? '';
    const isValue = /^-\w$/.test(before) && valued.includes(before.slice(1));
    return !isValue && !word.startsWith('-') && !count.test(word);
  });
  // What grep looks for is no file.
  return program === 'grep' ? named.slice(1) : named;
}
