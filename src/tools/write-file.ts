import { object, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { WriteGuard } from './files/write-guard.ts';
import type { WriteDeps } from './files/write-guard.ts';
import { settle, spellOutLine } from './tool-outcomes.ts';

const inputSchema = object({
  path: string('file', { minLength: 1 }),
  content: string('all of it'),
});

type WriteFileInput = ValueOf<typeof inputSchema>;

/** Creates a file or replaces all of it. */
export function createWriteFile(deps: WriteDeps): Tool<WriteFileInput> {
  const { workspace } = deps;
  const guard = new WriteGuard<WriteFileInput>(deps, { describe: describeWrite, onStale: 'fail' });
  return {
    name: 'write_file',
    toolset: 'file',
    description: 'Create a file or replace its whole content; missing folders are made. To change a part, use patch.',
    input: inputSchema,
    // Not idempotent: between a crash and the next start the file is the user's, who may have edited it.
    effect: 'verifiable',
    assess: (input, place) => Promise.resolve(guard.assess(input, place)),
    footprint: (input, place) => ({ type: 'files', paths: [workspace.locate(input.path, place)] }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { writeWhole } = await import('./files/write-whole.ts');
        return await guard.run(input, context, (path, keep) => writeWhole(path, input.content, keep));
      });
    },
    verify: async (input, place) => {
      const { verifyWhole } = await import('./files/write-whole.ts');
      return await verifyWhole(workspace.locate(input.path, place), input.content);
    },
  };
}

function describeWrite(path: string, { content }: WriteFileInput): string {
  return `write ${Buffer.byteLength(content)} bytes to ${spellOutLine(path)}:\n${content}`;
}
