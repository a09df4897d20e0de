import { describeError, systemErrorCode } from '../base/errors.ts';
import { textPart } from '../model/message.ts';
import type { ToolOutcome } from '../model/message.ts';

const longestError = 2000;

export function done(text: string): ToolOutcome {
  return { type: 'done', parts: [textPart(text)] };
}

/** A failure that the model can act on, never longer than it is useful. */
export function failed(message: string): ToolOutcome {
  return { type: 'failed', message: cut(message, longestError) };
}

/** Runs a tool's work to an outcome: aborts and errors of the system become values, a defect of ours stays a throw. */
export async function settle(signal: AbortSignal, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  if (signal.aborted) return { type: 'interrupted' };
  try {
    return await work();
  } catch (thrown) {
    if (signal.aborted) return { type: 'interrupted' };
    if (systemErrorCode(thrown) === undefined) throw thrown;
    return failed(describeError(thrown));
  }
}

/** The beginning of a text, at most so long, with a mark where something was left out. Never half a character. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/**
 * Text as a person is asked about it: what would move the cursor, change colours or reorder letters is spelled out, so
 * that the question cannot look like another one.
 */
export function spellOut(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** The same for what stands on one line of the question, such as a path: it cannot begin another line. */
export function spellOutLine(text: string): string {
  return spellOut(text).replaceAll('\n', '\\u{a}');
}
