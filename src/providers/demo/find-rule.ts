import { article } from './article.ts';
import type { Clause } from './clause.ts';
import type { Intent } from './intent.ts';
import { anyMark } from './quotes.ts';

const verb = /^(?:find|search(?:\s+for)?|grep(?:\s+for)?|look\s+for|locate|where\s+(?:is|are|does|do))\s+/i;
const place = new RegExp(
  `\\s+(?:in|inside|under|within)\\s+(?:${article}\\s+)?(?:(?:folder|directory|file)\\s+)?([\\w~./@-]+|${anyMark})(?:\\s+(?:folder|directory))?$`,
  'i',
);
const wholeProject = /^(?:here|files?|folder|directory|project|code|sources?)$/i;
const nameAfterFiles = /\bfiles?\b.*\b(?:named|called|like|matching|ending (?:in|with))\s+(\S+)$/i;
const nameWithStar = /^(?:(?:all|the|any)\s+)?(?:files?\s+)?(\S*\*\S*)(?:\s+files?)?$/i;
const padding =
  /^(?:(?:all|any|every|the)\s+)?(?:(?:uses?|mentions?|lines?|occurrences?|places?)\s+(?:of|with|that (?:say|mention|contain))\s+|(?:the\s+)?(?:word|text|string)\s+)?/i;

/** Something to look for, in the text of files or among their names, and where. */
export function asFind({ words, restore }: Clause): Intent | undefined {
  if (!verb.test(words)) return undefined;
  const rest = words.replace(verb, '');
  const where = place.exec(rest);
  const object = (where === null ? rest : rest.slice(0, where.index)).trim();
  const path = where?.[1] === undefined || wholeProject.test(where[1]) ? '.' : restore(where[1]);
  const name = nameAfterFiles.exec(object)?.[1] ?? nameWithStar.exec(object)?.[1];
  if (name !== undefined) return { type: 'find', what: asNamePattern(restore(name)), path, among: 'files' };
  const what = restore(object.replace(padding, '').replace(/\s+(?:defined|used|mentioned|written)$/i, '')).trim();
  return what === '' ? undefined : { type: 'find', what, path, among: 'content' };
}

function asNamePattern(name: string): string {
  if (/[*?[]/.test(name)) return name;
  return name.startsWith('.') ? `*${name}` : `*${name}*`;
}
