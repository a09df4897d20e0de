import { article } from './article.ts';
import { pathWord } from './clause.ts';
import type { Clause } from './clause.ts';
import type { Form, Intent } from './intent.ts';
import { plainText, quotedText } from './plain-text.ts';

const forms: readonly (readonly [RegExp, Form])[] = [
  [/\bhaikus?\b/i, 'haiku'],
  [/\b(?:poems?|verses?|rhymes?|songs?|ballads?)\b/i, 'poem'],
  [/\b(?:lists?|checklists?|to-?dos?)\b/i, 'list'],
  [/\b(?:notes?|story|stories|letters?|essays?|paragraphs?|memos?|jokes?)\b/i, 'note'],
];

const named = '(?:called|named)';
const targetBehind = new RegExp(
  `\\s*\\b(?:(?:in)?to|in|as|at|${named})\\s+(?:${article}\\s+)?(?:file\\s+)?(?:${named}\\s+)?(${pathWord})(?![\\w/])`,
);
const targetInFront = new RegExp(`^(?:${article}\\s+)?(?:file\\s+)?(${pathWord})(?=\\s+(?:with|containing)\\b)`);
const fileLead = new RegExp(`^(?:${article}\\s+)?(?:new\\s+)?file\\s+|^(?:with|containing|saying)\\s+`, 'i');
// Other verbs are for works: "save changes to notes.md", "create tests in test.ts".
const writesAsItStands = /^(?:write|put)\b/i;

/**
 * A text to make up, or one that is given, and the file that it is for. Anything less clear than that is not understood:
 * a guess here would overwrite someone's file.
 */
export function asWrite({ words, restore }: Clause): Intent | undefined {
  const rest = /^(?:write|compose|create|make|save|put|store|generate|draft)\s+(?:me\s+)?(.+)$/i.exec(words)?.[1];
  if (rest === undefined || /\blist of\b.*\b(?:files|folders)\b/i.test(rest)) return undefined;
  const target = targetInFront.exec(rest) ?? targetBehind.exec(rest);
  const path = target?.[1] === undefined ? undefined : restore(target[1]);
  const object = stripLeads(target === null ? rest : rest.replace(target[0], ' '));
  const quote = quotedText(object);
  if (quote !== undefined) return { type: 'write', path, text: restore(quote) };
  const form = forms.find(([pattern]) => pattern.test(object))?.[1];
  if (form !== undefined) return { type: 'compose', path, form, topic: topicOf(restore(object)) };
  const text = path !== undefined && writesAsItStands.test(words) ? plainText(object) : undefined;
  return text === undefined ? undefined : { type: 'write', path, text: restore(text) };
}

/** "a file with a poem" is about the poem. */
function stripLeads(object: string): string {
  const short = object.trim().replace(fileLead, '');
  return short === object.trim() ? short : stripLeads(short);
}

function topicOf(object: string): string {
  return /\b(?:about|on|of|for|regarding)\s+(.+)$/i.exec(object)?.[1]?.trim() ?? '';
}
