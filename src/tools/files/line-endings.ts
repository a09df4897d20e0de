export type LineEnding = '\n' | '\r\n';

/** Whether every line of a text ends in CR LF. */
export function usesCrLf(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
}

export function withEndings(text: string, ending: LineEnding): string {
  return text.replaceAll(/\r?\n/g, ending);
}
