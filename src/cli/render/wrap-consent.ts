import { wrapWords } from './wrap-words.ts';

/**
 * Breaks what a question says of a command, in the lines behind it, between words. The command itself stays as it is: whoever
 * answers is to see no line in it that is not there. Pure.
 */
export function wrapConsent(question: string, columns: number | undefined): string {
  const lines = question.split('\n');
  const place = lines.findLastIndex((line, index) => index > 0 && line.startsWith('in '));
  if (place === -1 || lines.length - place > mostBehind) return question;
  const ours = lines.slice(place).map((line) => (isPrefix(line) ? line : wrapWords(line, columns)));
  return [...lines.slice(0, place), ...ours].join('\n');
}

/** The folder, why there is no sandbox, and what a wider answer is for. */
const mostBehind = 3;

function isPrefix(line: string): boolean {
  return line.startsWith('Session ');
}
