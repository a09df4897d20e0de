import { describeError } from '../../base/errors.ts';
import { parseCommand } from '../../gateway/commands.ts';
import type { GivenImage } from '../../model/image.ts';
import { describePathProblem } from '../path-problem.ts';
import { readImage } from '../read-image.ts';
import type { ChatParts } from './chat-parts.ts';
import { describeNotLeaving } from './is-leaving.ts';

/** What a line comes to: words and the pictures that they are about, or what is wrong with it. */
export type SpokenLine =
  | { readonly type: 'said'; readonly text: string; readonly images: readonly GivenImage[] }
  | { readonly type: 'unfit'; readonly reason: string };

export const imageHelp = '/image FILE [TEXT] shows the model a picture; dragging a file in here writes its name.';

/** Takes `/image FILE [TEXT]` apart and reads the file; any other line that is not for the terminal itself stays as it is. */
export async function readOwnLine(
  line: string,
  { place, process }: Pick<ChatParts, 'place' | 'process'>,
): Promise<SpokenLine> {
  const command = parseCommand(line.trim());
  const notLeaving = command && describeNotLeaving(command);
  if (notLeaving !== undefined) return { type: 'unfit', reason: notLeaving };
  if (command?.name !== 'image') return { type: 'said', text: line, images: [] };
  const { file, text } = splitFile(command.rest);
  if (file === '') return { type: 'unfit', reason: 'Say it like this: /image photo.png What is this?' };
  const path = file.replace(/^~(?=\/)/, process.env['HOME'] ?? '~');
  try {
    return { type: 'said', text, images: [await readImage(path, place.seat.workdir)] };
  } catch (thrown) {
    return { type: 'unfit', reason: describePathProblem(thrown) ?? describeError(thrown) };
  }
}

/** The first word as a shell would read it: terminals write a file that is dragged in with quotes or backslashes. Pure. */
export function splitFile(rest: string): { readonly file: string; readonly text: string } {
  const [word = ''] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/.exec(rest) ?? [];
  const file = word.replaceAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
    (_whole, quoted: string | undefined, literal: string | undefined, escaped: string | undefined) =>
      quoted?.replaceAll(/\\(.)/g, '$1') ?? literal ?? escaped ?? '',
  );
  return { file, text: rest.slice(word.length).trim() };
}
