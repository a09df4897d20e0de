import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { removeInvisible } from '../../base/remove-invisible.ts';
import type { ListedSkill } from '../../model/prompt.ts';
import { describeProblems, object, string } from '../../model/schema.ts';
import { readTextFile } from '../read-text-file.ts';

// More than the prompt ever lists; a folder with more than this in it was not made by hand.
const mostFolders = 1000;

const frontMatter = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/;

const header = object({
  name: string('what it is called', { minLength: 1 }),
  description: string('what it is for', { minLength: 1 }),
});

type Report = (problem: string) => void;

/** The skills in a folder, `NAME/SKILL.md` each, sorted by name. A broken one is left out and reported. */
export async function listSkills(folder: string, report: Report): Promise<readonly ListedSkill[]> {
  const skills: ListedSkill[] = [];
  for (const name of listFolders(folder, report)) {
    const path = join(folder, name, 'SKILL.md');
    const found = readTextFile(path);
    if (found.type === 'missing') continue;
    const skill = found.type === 'text' ? await readSkill(name, found.text) : `it cannot be read: ${found.problem}`;
    if (typeof skill === 'string') report(`the skill ${path} is left out: ${skill}`);
    else skills.push(skill);
  }
  return skills.toSorted((left, right) => compare(left.name, right.name) || compare(left.folder, right.folder));
}

/** Hidden ones are of tools that keep their own things there. */
function listFolders(folder: string, report: Report): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
    return names.toSorted(compare).slice(0, mostFolders);
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') report(`no skill is read from ${folder}: ${describeError(thrown)}`);
    return [];
  }
}

/** A skill, or what is wrong with it. */
async function readSkill(folder: string, source: string): Promise<ListedSkill | string> {
  const [, yaml] = frontMatter.exec(removeInvisible(source).text) ?? [];
  if (yaml === undefined) return 'it does not begin with front matter (--- name: …, description: … ---)';
  const { parseDocument } = await import('yaml');
  const document = parseDocument(yaml, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return `its front matter is not YAML: ${error.message}`;
  const parsed = header.parse(document.toJS({ maxAliasCount: 10 }) as Json);
  if (parsed.type === 'invalid') return describeProblems(parsed.problems);
  return { folder, name: oneLine(parsed.value.name), description: oneLine(parsed.value.description) };
}

// YAML can spell out a character that the file itself does not have.
function oneLine(text: string): string {
  return removeInvisible(text).text.trim().replaceAll(/\s+/g, ' ');
}

/** By code unit: the order is the same whatever the machine's language is. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
