import { boolean, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { WriteGuard } from './files/write-guard.ts';
import type { WriteDeps } from './files/write-guard.ts';
import { settle, spellOutLine } from './tool-outcomes.ts';

const inputSchema = object({
  path: string('file', { minLength: 1 }),
  old_string: string('text to replace, as it stands in the file (without line numbers)', { minLength: 1 }),
  new_string: string('text to put in its place'),
  replace_all: optional(boolean('replace every occurrence')),
});

type PatchInput = ValueOf<typeof inputSchema>;

/** Replaces a piece of a file. */
export function createPatch(deps: WriteDeps): Tool<PatchInput> {
  const { workspace } = deps;
  const guard = new WriteGuard<PatchInput>(deps, { describe: describeEdit, onStale: 'say-so' });
  return {
    name: 'patch',
    toolset: 'file',
    description:
      'Replace a piece of text in a file. old_string must be in the file exactly once, unless replace_all is set. Returns the diff.',
    input: inputSchema,
    effect: 'verifiable',
    assess: (input, place) => Promise.resolve(guard.assess(input, place)),
    footprint: (input, place) => ({ type: 'files', paths: [workspace.locate(input.path, place)] }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { patchFile } = await import('./files/patch-file.ts');
        return await guard.run(input, context, (path, keep) => patchFile(path, input, keep));
      });
    },
    verify: async (input, place) => {
      const { verifyPatch } = await import('./files/verify-patch.ts');
      return await verifyPatch(workspace.locate(input.path, place), input);
    },
  };
}

function describeEdit(path: string, input: PatchInput): string {
  const where = input.replace_all === true ? 'everywhere in' : 'in';
  return `replace ${where} ${spellOutLine(path)}:\n${input.old_string}\nby:\n${input.new_string}`;
}
