/** How text is set apart on a terminal; without colours every function returns its text as it is. */
export interface Style {
  /** `bare`: a terminal that obeys escape codes, and is not to be painted. `none`: nothing that could be laid out on. */
  readonly looks: 'painted' | 'bare' | 'none';
  dim(text: string): string;
  bold(text: string): string;
  bad(text: string): string;
  good(text: string): string;
}

export interface ColourClues {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Takes away what stands in the row of the cursor, and nothing else: some terminals keep what is erased by the screen. */
export const eraseRow = '\r\u001b[K';

/** Whether escape codes may be written at all: to a terminal that understands them, if nobody forbade it. */
export function decideEscapes({ isTerminal, env }: ColourClues): 'allowed' | 'forbidden' {
  return isTerminal && env['TERM'] !== 'dumb' ? 'allowed' : 'forbidden';
}

/** See no-color.org: any value but the empty one counts. */
export function chooseStyle(clues: ColourClues): Style {
  if (decideEscapes(clues) === 'forbidden') return { ...plain, looks: 'none' };
  return (clues.env['NO_COLOR'] ?? '') === '' ? colourful : plain;
}

const colourful: Style = {
  looks: 'painted',
  dim: (text) => paint(text, '\u001b[2m', '\u001b[22m'),
  bold: (text) => paint(text, '\u001b[1m', '\u001b[22m'),
  bad: (text) => paint(text, '\u001b[31m', '\u001b[39m'),
  good: (text) => paint(text, '\u001b[32m', '\u001b[39m'),
};

const plain: Style = { looks: 'bare', dim: same, bold: same, bad: same, good: same };

function paint(text: string, on: string, off: string): string {
  return text === '' ? '' : `${on}${text}${off}`;
}

function same(text: string): string {
  return text;
}
