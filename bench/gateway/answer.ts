/** What the model of the benchmark answers, so that whoever asked can tell its answer from every other. */
export function answerTo(text: string): string {
  return `Answer to: ${text}`;
}
