import { pathWord } from './clause.ts';
import type { Clause } from './clause.ts';
import type { Intent } from './intent.ts';
import { plainText, quotedText } from './plain-text.ts';

const file = `(?:(?:the|my)\\s+)?(?:file\\s+)?(${pathWord}|it)`;
const every = /^(?:all|every|each)\s+(?:of\s+)?(?:(?:occurrences?|instances?)\s+of\s+)?/i;
const nounLead = /^(?:the\s+)?(?:word|text|string|line)\s+(?=\S)/i;

const replacing = new RegExp(
  `^(?:replace|change|substitute|swap|rename)\\s+(.+?)\\s+(?:with|by|to|into|for)\\s+(.+?)\\s+(everywhere\\s+)?(?:in|inside)\\s+${file}(\\s+everywhere)?$`,
  'i',
);
const inFileFirst = new RegExp(`^in\\s+${file}[,:]?\\s+(.+)$`, 'i');

/** A piece of a file that is to become another one. Where it is not there, the tool says so: nothing is lost by trying. */
export function asReplace({ words, restore }: Clause): Intent | undefined {
  const turned = words.replace(inFileFirst, (_, path: string, rest: string) => `${rest} in ${path}`);
  const [, from = '', to = '', , path = ''] = replacing.exec(turned) ?? [];
  if (path === '') return undefined;
  const isEverywhere = every.test(from) || /\beverywhere\b/i.test(turned);
  const old = restore(from.replace(every, '').replace(nounLead, ''));
  const by = restore(to.replace(nounLead, ''));
  return { type: 'replace', path: pathIn(path, restore), old, by, where: isEverywhere ? 'everywhere' : 'once' };
}

const appending = new RegExp(`^(append|add)\\s+(.+?)\\s+(?:to|at|in)\\s+(?:the\\s+end\\s+of\\s+)?${file}$`, 'i');

/** What is added without quotes is mostly a work: "add logging to app.ts". */
export function asAppend({ words, restore }: Clause): Intent | undefined {
  const [, verb = '', object = '', path = ''] = appending.exec(words) ?? [];
  const text = quotedText(object) ?? (/^append$/i.test(verb) ? plainText(object) : undefined);
  return text === undefined ? undefined : { type: 'append', path: pathIn(path, restore), text: restore(text) };
}

const deleting = new RegExp(`^(?:delete|remove|erase|rm)\\s+${file}$`, 'i');

/** One file that is named: "delete all files" is not understood, and never will be. */
export function asDelete({ words, restore }: Clause): Intent | undefined {
  const path = deleting.exec(words)?.[1];
  return path === undefined ? undefined : { type: 'delete', path: pathIn(path, restore) };
}

function pathIn(word: string, restore: Clause['restore']): string | undefined {
  return /^it$/i.test(word) ? undefined : restore(word);
}
