import { locateText } from './locate-text.ts';
import { withEndings } from './line-endings.ts';
import { readReal } from './open-real.ts';
import { decodeText } from './patch-file.ts';
import type { PatchRequest } from './patch-file.ts';

// A new text shorter than this, like a lone brace, may well have been there before.
const shortestProof = 16;

/**
 * Whether an earlier run of a patch took effect, judged by the file alone. The file is replaced whole, so it has either
 * the old text or the new; where its content could be explained both ways the answer is `unknown`.
 */
export async function verifyPatch(path: string, input: PatchRequest): Promise<'done' | 'not-done' | 'unknown'> {
  const text = await readText(path);
  return text === undefined ? 'unknown' : decidePatched(withEndings(text, '\n'), input);
}

function decidePatched(text: string, input: PatchRequest): 'done' | 'not-done' | 'unknown' {
  const [before, after] = [withEndings(input.old_string, '\n'), withEndings(input.new_string, '\n')];
  if (before === after) return 'unknown';
  const hasOld = text.includes(before);
  const hasNew = after !== '' && text.includes(after);
  // After a run the new text would be there; deleting leaves no such trace, but then the old text would be gone.
  if (hasOld && !hasNew) return 'not-done';
  if (!hasNew || after.trim().length < shortestProof) return 'unknown';
  const withoutNew = text.replaceAll(after, '\0');
  if (locateText(withoutNew, before).type === 'found') return 'unknown';
  const occurrences = text.split(after).length - 1;
  return occurrences === 1 || input.replace_all === true ? 'done' : 'unknown';
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return decodeText(await readReal(path));
  } catch {
    return undefined;
  }
}
