import { basename } from 'node:path';
import { describeBytes } from '../../base/describe-bytes.ts';
import type { HomeState } from '../../model/health.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { Finding } from './finding.ts';

const leastBytes = 64 * 1024 * 1024;
const fewBytes = 1024 * 1024 * 1024;
const elsewhere = 'TALARIA_HOME=FOLDER talaria';

/** Pure. */
export function judgeHome(home: string, { folder, openToOthers, sharedBy, freeBytes }: HomeState): readonly Finding[] {
  return [
    judgeFolder(home, folder),
    ...openToOthers.map(({ path, mode, wanted }): Finding => {
      const modes = { was: asOctal(mode), wanted: asOctal(wanted) };
      return {
        level: 'hint',
        name: path === home ? 'permissions' : basename(path),
        text: `open to other users (${modes.was}); the next start closes it (${modes.wanted})`,
        fix: `chmod ${modes.wanted} ${quoteForShell(path)}`,
      };
    }),
    ...judgeFileSystem(sharedBy),
    judgeSpace(freeBytes),
  ];
}

function judgeFolder(home: string, folder: HomeState['folder']): Finding {
  switch (folder.type) {
    case 'missing':
      return { level: 'note', name: 'folder', text: `${home} does not exist yet; the first start makes it` };
    case 'unusable':
      return { level: 'broken', name: 'folder', text: folder.problem, fix: elsewhere };
    case 'there':
      return { level: 'fine', name: 'folder', text: home };
  }
}

function judgeFileSystem(sharedBy: string | undefined): readonly Finding[] {
  if (sharedBy === undefined) return [];
  const text = `it is on ${sharedBy}, where a database can lose data`;
  return [{ level: 'broken', name: 'disk', text, fix: elsewhere }];
}

function judgeSpace(freeBytes: number): Finding {
  const level = freeBytes < leastBytes ? 'broken' : freeBytes < fewBytes ? 'hint' : 'fine';
  return { level, name: 'free space', text: describeBytes(freeBytes) };
}

function asOctal(mode: number): string {
  return `0${mode.toString(8)}`;
}
