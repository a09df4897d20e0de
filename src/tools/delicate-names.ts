import { sep } from 'node:path';

/** Whether a path leads to a file that runs code, logs in or instructs the model, by its names alone. Pure. */
export function isDelicatePath(path: string): boolean {
  const names = path.split(sep).map(plainName);
  return names.some((name) => delicateFolders.has(name)) || delicateFiles.has(names.at(-1) ?? '');
}

/**
 * A name as file systems take it that know no case, leave out characters without width, or drop dots and blanks at the end:
 * to them `.GIT`, `.g\u200Cit` and `.git. ` are `.git`.
 */
function plainName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  const plain = visible
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/:.*$/s, '');
  return plain === 'git~1' ? '.git' : plain;
}

const delicateFolders: ReadonlySet<string> = new Set([
  '.git',
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.cursor',
  '.kube',
  '.docker',
  '.husky',
  '.talaria',
]);

// The last ones tell every later conversation what to do.
const delicateFiles: ReadonlySet<string> = new Set([
  '.bash_aliases',
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.envrc',
  '.git-credentials',
  '.gitconfig',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.profile',
  '.pypirc',
  '.zlogin',
  '.zprofile',
  '.zshenv',
  '.zshrc',
  '.cursorrules',
  '.hermes.md',
  '.mcp.json',
  'agents.md',
  'claude.md',
  'hermes.md',
]);
