import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TrustedFolders } from '../../src/store/home/trusted-folders.ts';

export const writtenParts = ['identity', 'memory', 'skills', 'context'] as const;

export type WrittenPart = (typeof writtenParts)[number];

interface Place {
  readonly home: string;
  readonly workdir: string;
}

/** Writes a word into what the model is told of one kind. */
export async function writePart(part: WrittenPart, word: string, { home, workdir }: Place): Promise<void> {
  switch (part) {
    case 'identity':
      return await writeFile(join(home, 'SOUL.md'), `You are ${word}.`);
    case 'memory':
      return await writeFile(join(home, 'MEMORY.md'), `It rained on ${word}.`);
    case 'skills': {
      const folder = join(home, 'skills', 'baking');
      await mkdir(folder, { recursive: true });
      return await writeFile(join(folder, 'SKILL.md'), `---\nname: baking\ndescription: Bakes ${word}.\n---\nKnead.\n`);
    }
    case 'context':
      return await writeFile(join(workdir, 'AGENTS.md'), `Sing of ${word}.`);
  }
}

export async function writeAllParts(word: string, place: Place): Promise<void> {
  for (const part of writtenParts) await writePart(part, word, place);
}

/** How the prompt says it, by part. */
export const sayings: Readonly<Record<WrittenPart, (word: string) => string>> = {
  identity: (word) => `You are ${word}.`,
  memory: (word) => `It rained on ${word}.`,
  skills: (word) => `- baking: Bakes ${word}.`,
  context: (word) => `Sing of ${word}.`,
};

export function trustedFoldersOf(home: string): TrustedFolders {
  return new TrustedFolders(join(home, 'state', 'trusted-folders.json'));
}

export async function trust(folder: string, home: string): Promise<void> {
  await trustedFoldersOf(home).add({ path: folder, since: 0 });
}
