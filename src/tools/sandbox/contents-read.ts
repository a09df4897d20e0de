/** Programs that show what is in files, each with its options that take a value. */
const readers: ReadonlyMap<string, string> = new Map([
  ['cat', ''],
  ['cmp', ''],
  ['cut', 'bcdf'],
  ['diff', ''],
  ['file', ''],
  ['grep', 'eABCm'],
  ['head', 'cn'],
  ['md5sum', ''],
  ['nl', ''],
  ['sha256sum', ''],
  ['sort', ''],
  ['tail', 'cns'],
  ['wc', ''],
]);

/**
 * The words of a plain read that may name files whose contents it shows; `words` are all behind the program. A word counts
 * as no file only where that is certain: any name can be that of a file, a number or what looks like an option, too. Pure.
 */
export function findContentsRead(program: string, words: readonly string[]): readonly string[] {
  const valued = readers.get(program);
  if (valued === undefined) return [];
  const named: string[] = [];
  // What grep looks for is no file, and is a word of its own unless an option brings it.
  let isPatternNext = program === 'grep';
  let isOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (isOver || !word.startsWith('-')) named.push(word);
    else if (word === '--') isOver = true;
    else {
      const option = readOption(word, valued);
      if (program === 'grep' && option.letter === 'e') isPatternNext = false;
      if (option.value === 'next') at += 1;
    }
  }
  return isPatternNext ? named.slice(1) : named;
}

/** Short options may stand together. The first that takes a value takes the rest of the word for it, or the next word. */
function readOption(word: string, valued: string): { readonly letter?: string; readonly value: 'here' | 'next' } {
  const at = word.startsWith('--') ? -1 : word.split('').findIndex((letter) => valued.includes(letter));
  const letter = word[at];
  if (letter === undefined) return { value: 'here' };
  return { letter, value: at === word.length - 1 ? 'next' : 'here' };
}
