import { join } from 'node:path';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { removeInvisible } from '../../base/remove-invisible.ts';
import type { PromptMaterial, PromptSources, WrittenFile } from '../../model/prompt.ts';
import type { Memory } from '../../model/store.ts';
import type { HomeFolder } from '../home/home-folder.ts';
import { openMemoryFiles } from '../home/memory-files.ts';
import { realFolder } from '../home/trusted-folders.ts';
import type { TrustedFolders } from '../home/trusted-folders.ts';
import { findNearest } from '../project/project-folders.ts';
import type { FoundInProject } from '../project/project-folders.ts';
import { serversFile } from '../project/project-servers.ts';
import { readTextFile } from '../read-text-file.ts';
import { findContext, namesOf, readContext } from './context-files.ts';
import { listSkills } from './list-skills.ts';

const projectSkillFolder = '.talaria/skills';

/** Files that ask something of whoever works in a folder, and do not count, since nobody trusts it. */
export interface IgnoredFiles {
  readonly folder: string;
  readonly names: readonly string[];
}

/** What people write for the model: files in the home, and those of trusted projects. */
export class FilePromptSources implements PromptSources {
  readonly #home: Pick<HomeFolder, 'path' | 'skills'>;
  readonly #memory: Memory;
  readonly #trusted: Pick<TrustedFolders, 'around'>;
  readonly #log: Log;

  constructor(home: HomeFolder, trusted: Pick<TrustedFolders, 'around'>, log: Log) {
    this.#home = home;
    this.#memory = openMemoryFiles(home);
    this.#trusted = trusted;
    this.#log = log;
  }

  trustedAround(workdir: string): readonly string[] {
    return this.#trusted.around(workdir);
  }

  async read(workdir: string): Promise<PromptMaterial> {
    const skills = await listSkills(this.#home.skills, (problem) => this.#report(problem));
    const projectSkills = await this.#readProjectSkills(workdir, new Set(skills.map(({ name }) => name)));
    return {
      soul: this.#readSoul(),
      skillFolder: this.#home.skills,
      skills,
      projectSkills,
      context: this.#readContext(workdir),
      memory: await this.#loadMemory(),
    };
  }

  /** What would be read in a working folder if it were trusted; undefined where there is nothing, or it is. */
  ignored(workdir: string): IgnoredFiles | undefined {
    const context = findContext(workdir);
    const skills = this.#findProjectSkills(workdir);
    const servers = findNearest(workdir, serversFile);
    const found = [
      ...(context === undefined ? [] : namesOf(context).map((name) => ({ folder: context.folder, name }))),
      ...(skills === undefined ? [] : [{ folder: skills.folder, name: projectSkillFolder }]),
      ...(servers === undefined ? [] : [{ folder: servers.folder, name: serversFile }]),
    ].filter(({ folder }) => !this.#isTrusted(folder));
    // All of these folders are around the working folder, so that the shortest is around the others.
    const [outermost] = found.map(({ folder }) => folder).toSorted((left, right) => left.length - right.length);
    return outermost === undefined ? undefined : { folder: outermost, names: found.map(({ name }) => name) };
  }

  /** A skill of the home comes before one of the project that has its name. */
  async #readProjectSkills(workdir: string, taken: ReadonlySet<string>): Promise<PromptMaterial['projectSkills']> {
    const found = this.#findProjectSkills(workdir);
    if (found === undefined || !this.#isTrusted(found.folder)) return undefined;
    const listed = await listSkills(found.path, (problem) => this.#report(problem));
    const skills = listed.filter(({ name }) => !taken.has(name));
    return skills.length === 0 ? undefined : { folder: found.path, skills };
  }

  /** In the user's own folder these are the skills of the home. */
  #findProjectSkills(workdir: string): FoundInProject | undefined {
    const found = findNearest(workdir, projectSkillFolder);
    return found === undefined || found.path === realFolder(this.#home.skills) ? undefined : found;
  }

  #readContext(workdir: string): readonly WrittenFile[] {
    const found = findContext(workdir);
    if (found === undefined) return [];
    const files = readContext(
      found,
      (folder) => this.#isTrusted(folder),
      (problem) => this.#report(problem),
    );
    for (const file of files) this.#reportHidden(file);
    return files;
  }

  #isTrusted(folder: string): boolean {
    return this.#trusted.around(folder).length > 0;
  }

  #readSoul(): WrittenFile | undefined {
    const path = join(this.#home.path, 'SOUL.md');
    const found = readTextFile(path);
    if (found.type === 'refused') this.#report(`${path} is not read: ${found.problem}`);
    return found.type === 'text' ? this.#clean(path, found.text) : undefined;
  }

  async #loadMemory(): Promise<readonly WrittenFile[]> {
    try {
      const files = await this.#memory.load();
      return files.flatMap(({ name, text }) => this.#clean(join(this.#home.path, name), text) ?? []);
    } catch (thrown) {
      this.#report(`the memory is not read: ${describeError(thrown)}`);
      return [];
    }
  }

  #clean(path: string, source: string): WrittenFile | undefined {
    const { text, removed: hidden } = removeInvisible(source);
    const file = { path, text: text.trim(), hidden };
    this.#reportHidden(file);
    return file.text === '' ? undefined : file;
  }

  #reportHidden({ path, hidden }: WrittenFile): void {
    if (hidden > 0) this.#report(`${hidden} invisible characters in ${path} are kept from the model`);
  }

  #report(problem: string): void {
    this.#log.write('warn', problem);
  }
}
