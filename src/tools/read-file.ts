import { integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { findObjection } from './files/find-objection.ts';
import type { ReadStamps } from './files/read-stamps.ts';
import { settle } from './tool-outcomes.ts';
import type { Workspace } from './workspace.ts';

const inputSchema = object({
  path: string('file', { minLength: 1 }),
  offset: optional(integer('first line, default 1')),
  limit: optional(integer('lines, default 500, at most 2000')),
});

type ReadFileInput = ValueOf<typeof inputSchema>;

/** Reads a text file, or a kept result, a page of lines at a time. */
export function createReadFile(workspace: Workspace, stamps: ReadStamps): Tool<ReadFileInput> {
  const asked = new WeakMap<ReadFileInput, string>();
  return {
    name: 'read_file',
    toolset: 'file',
    description:
      'Read a text file as numbered lines (N|text), or look at an image. Relative paths start at the current folder of the terminal.',
    input: inputSchema,
    effect: 'reads',
    assess: (input, place) => {
      if (isBlob(input.path)) return Promise.resolve({ type: 'safe' });
      const risk = workspace.judgeRead(workspace.locate(input.path, place));
      if (risk.type === 'ask') asked.set(input, risk.question);
      return Promise.resolve(risk);
    },
    footprint: (input, place) => ({
      type: 'files',
      paths: isBlob(input.path) ? [] : [workspace.locate(input.path, place)],
    }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { readPage, readBlobPage } = await import('./files/read-page.ts');
        if (isBlob(input.path)) return await readBlobPage(input.path, input, context);
        const path = workspace.locate(input.path, context);
        const reason = findObjection(path, workspace.judgeRead(path), asked.get(input));
        if (reason !== undefined) return { type: 'refused', reason };
        // Before it is read: a change that comes in between is noticed then, if not now.
        await stamps.note(context.sessionId, path);
        const foreignKey = workspace.isBrought(path) ? context.idempotencyKey : undefined;
        return await readPage(path, input, { ...context, foreignKey });
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}

function isBlob(path: string): boolean {
  return path.startsWith('blob:');
}
