import { object, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import type { PathLocks } from './files/path-locks.ts';
import { settle } from './tool-outcomes.ts';
import { previewText } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const inputSchema = object({
  path: string('file', { minLength: 1 }),
  content: string('all of it'),
});

type WriteFileInput = ValueOf<typeof inputSchema>;

/** Creates a file or replaces all of it. */
export function createWriteFile(workspace: Workspace, locks: PathLocks): Tool<WriteFileInput> {
  return {
    name: 'write_file',
    description: 'Create a file or replace its whole content; missing folders are made. To change a part, use patch.',
    input: inputSchema,
    effect: 'idempotent',
    assess: (input, place) => {
      const path = workspace.locate(input.path, place);
      const size = Buffer.byteLength(input.content);
      const describe = (): string => `write ${size} bytes to ${path}:\n${previewText(input.content)}`;
      return Promise.resolve(workspace.judgeWrite(path, place, describe));
    },
    footprint: (input, place) => ({ type: 'files', paths: [workspace.locate(input.path, place)] }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { writeWhole } = await import('./files/write-whole.ts');
        const path = workspace.locate(input.path, context);
        return await locks.run(path, () => writeWhole(path, input.content));
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}
