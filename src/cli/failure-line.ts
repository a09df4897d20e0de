/** The last line of a command that failed and was asked for JSON, in the shape that `talaria help json` promises. Pure. */
export function failureLine(error: { readonly code: string; readonly message: string }, exitCode: number): string {
  return `${JSON.stringify({ type: 'failed', ok: false, exitCode, error })}\n`;
}
