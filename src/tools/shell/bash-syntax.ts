import type * as Unbash from 'unbash';

/** Reads shell texts into the tree that bash would run. What is wrong with a text is told in the tree's `errors`. */
export type BashSyntax = Pick<typeof Unbash, 'parse' | 'forEachChild'>;

// The parser's time grows with the square of these, and nobody writes so many.
const opening = /\{|\$[([]|<[(<]/;
const mostOpenings = 1000;

/** Loads the parser. Nothing but a command needs it. */
export async function loadBashSyntax(): Promise<BashSyntax> {
  const { parse, forEachChild } = await import('unbash');
  return {
    forEachChild,
    parse: (text) => (text.split(opening).length > mostOpenings ? unread : parse(text)),
  };
}

const unread: Unbash.ParsedScript = {
  type: 'Script',
  pos: 0,
  end: 0,
  shebang: undefined,
  commands: [],
  errors: [{ message: 'too many open brackets', pos: 0 }],
};
