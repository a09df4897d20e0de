import { RichTextBuilder } from './rich-text.ts';
import type { RichText } from './rich-text.ts';

const row = /^ *(?<name>\S.*?) {2,}(?<rest>\S.*)$/;

/**
 * Even columns as a list: a phone has neither their width nor letters of one width. A line with two columns is a name and what
 * it means, one that is moved in goes on with the line above, one that stands above such lines is their heading, and every
 * other one is words. Pure.
 */
export function layListing(text: string): RichText {
  const rich = new RichTextBuilder();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (index > 0) rich.write('\n');
    const { name, rest } = row.exec(line)?.groups ?? {};
    if (name !== undefined && rest !== undefined) {
      rich.write('• ');
      rich.styled({ type: 'bold' }, () => rich.write(name));
      rich.write(` ${rest}`);
    } else if (line.startsWith(' ')) rich.write(`– ${line.trim()}`);
    else if (isListed(lines[index + 1] ?? '')) rich.styled({ type: 'bold' }, () => rich.write(line));
    else rich.write(line);
  }
  return rich.build();
}

function isListed(line: string): boolean {
  return line.startsWith(' ') || row.test(line);
}
