import { RichTextBuilder } from './rich-text.ts';
import type { RichText } from './rich-text.ts';

const row = /^ *(?<name>\S.*?) {2,}(?<rest>\S.*)$/;

/**
 * Even columns as a list: a phone has neither their width nor letters of one width. A line with two columns is a name and what
 * it means, one that is moved in goes on with the line above, and every other one is a heading. Pure.
 */
export function layListing(text: string): RichText {
  const rich = new RichTextBuilder();
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) rich.write('\n');
    const { name, rest } = row.exec(line)?.groups ?? {};
    if (name !== undefined && rest !== undefined) {
      rich.write('• ');
      rich.styled({ type: 'bold' }, () => rich.write(name));
      rich.write(` ${rest}`);
    } else if (line.startsWith(' ')) rich.write(`– ${line.trim()}`);
    else if (line !== '') rich.styled({ type: 'bold' }, () => rich.write(line));
  }
  return rich.build();
}
