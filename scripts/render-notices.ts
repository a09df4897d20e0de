import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[] | string;
}

interface Dependency extends LockedPackage {
  readonly name: string;
  readonly folder: string;
}

/**
 * The licences of everything that is installed with the package, as the text of THIRD-PARTY-NOTICES.md. Equal on every
 * platform: binaries that only some platforms install are listed by name, and carry their licence themselves.
 */
export async function renderNotices(root: string): Promise<string> {
  const dependencies = await readDependencies(root);
  const everywhere = dependencies.filter(({ os }) => os === undefined);
  const byPlatform = dependencies.filter(({ os }) => os !== undefined);
  const licences = await Promise.all(everywhere.map((dependency) => renderLicence(root, dependency)));
  return [
    '# Third-party notices\n\nMade by `npm run notices` from the lockfile; do not edit.\n',
    ...licences,
    '## Binaries for one platform each\n\nOf these, only those for your platform are installed. Each carries its licence in a file `LICENSE`.\n',
    `${byPlatform.map((dependency) => `- ${describe(dependency)}`).join('\n')}\n`,
  ].join('\n');
}

async function readDependencies(root: string): Promise<readonly Dependency[]> {
  const lockfile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(lockfile.packages)
    .filter(([folder, { dev }]) => folder !== '' && dev !== true)
    .map(([folder, locked]) => ({ ...locked, folder, name: folder.replace(/^.*node_modules\//, '') }));
}

async function renderLicence(root: string, dependency: Dependency): Promise<string> {
  const folder = join(root, dependency.folder);
  const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)(\.|$)/i.test(name));
  const text = file === undefined ? 'The package carries no licence file.' : await readFile(join(folder, file), 'utf8');
  return `## ${describe(dependency)}\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`;
}

function describe({ name, version, license }: Dependency): string {
  return `${name}@${version} (${license ?? 'no licence named'})`;
}
