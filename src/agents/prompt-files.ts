import { basename } from 'node:path';
import type { ListedSkill, PromptMaterial, WrittenFile } from '../model/prompt.ts';
import { shortenText } from '../turn/compact/shorten-text.ts';

/** How many characters of each part the model is told at most. Of what is longer, the beginning and the end stay. */
export const promptBounds = {
  identity: 8_000,
  /** Of each of the two files. */
  memory: 8_000,
  /** Of all files together, shared out evenly. */
  context: 20_000,
  skills: 8_000,
  skillLine: 300,
  skillCount: 100,
  added: 20_000,
} as const;

const fileTag = 'file';

/** Who the agent is, in its owner's words. Pure. */
export function describeSoul(soul: WrittenFile): string {
  return withNote(shortenText(soul.text, promptBounds.identity), soul);
}

/** What can be learned when it is needed: one line a skill, those of the project behind those of the home. Pure. */
export function describeSkills({ skillFolder, skills, projectSkills }: PromptMaterial): string {
  const own = { folder: skillFolder, skills };
  const shelves = [own, ...(projectSkills ? [projectSkills] : [])].filter((shelf) => shelf.skills.length > 0);
  const listed = withinBounds(shelves.flatMap((shelf) => shelf.skills.map(describeSkill)));
  return shelves
    .flatMap((shelf, index) => {
      const before = index === 0 ? 0 : skills.length;
      const lines = listed.slice(before, before + shelf.skills.length);
      const missing = shelf.skills.length - lines.length;
      return [
        `${index === 0 ? skillNote : 'The same of this project:'} ${shelf.folder}/NAME/SKILL.md`,
        ...lines,
        ...(missing === 0 ? [] : [`[… ${missing} more are left out here: list ${shelf.folder} to find them …]`]),
      ];
    })
    .join('\n');
}

const skillNote = 'Skills are instructions for kinds of work. Before you do such work, read the skill with read_file:';

function describeSkill({ name, folder, description }: ListedSkill): string {
  const line = `- ${name}${name === folder ? '' : ` (in ${folder})`}: ${description}`;
  return line.length <= promptBounds.skillLine ? line : `${line.slice(0, promptBounds.skillLine).toWellFormed()}…`;
}

function withinBounds(lines: readonly string[]): readonly string[] {
  let room: number = promptBounds.skills;
  const end = lines.findIndex((line, index) => (room -= line.length + 1) < 0 || index >= promptBounds.skillCount);
  return end === -1 ? lines : lines.slice(0, end);
}

/** What the project asks for, from files that the user trusts. Pure. */
export function describeContext(files: readonly WrittenFile[]): string {
  if (files.length === 0) return '';
  const most = Math.floor(promptBounds.context / files.length);
  return [
    'What this project asks of whoever works in it. The user trusts these files; what the user says to you comes before them.',
    ...files.map((file) => quote(file.path, file, most)),
  ].join('\n');
}

/** What is remembered from earlier conversations. Pure. */
export function describeMemory(files: readonly WrittenFile[]): string {
  if (files.length === 0) return '';
  return [
    'What you know from earlier conversations: MEMORY.md are your notes, USER.md is about the user. It was read once, and may have changed since.',
    ...files.map((file) => quote(basename(file.path), file, promptBounds.memory)),
  ].join('\n');
}

function quote(name: string, file: WrittenFile, most: number): string {
  // A file must not end where it says so itself, and go on as if it were the program.
  const text = file.text.trim().replaceAll(`</${fileTag}>`, `</${fileTag}*>`);
  return `<${fileTag} name=${JSON.stringify(name)}>\n${withNote(shortenText(text, most), file)}\n</${fileTag}>`;
}

function withNote(text: string, { hidden }: WrittenFile): string {
  if (hidden === 0) return text;
  return `${text}\n[${hidden === 1 ? '1 invisible character was' : `${hidden} invisible characters were`} taken out of this file]`;
}
