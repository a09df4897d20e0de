import { article } from './article.ts';
import { findPath, splitClauses } from './clause.ts';
import type { Clause } from './clause.ts';
import { asAppend, asDelete, asReplace } from './edit-rules.ts';
import { asFind } from './find-rule.ts';
import type { Intent } from './intent.ts';
import { anyMark } from './quotes.ts';
import { asProcess, asRun } from './run-rules.ts';
import { asWrite } from './write-rule.ts';

/** Reads a text by a few general rules about its words. The first rule that fits a clause decides it. Pure. */
export function understand(text: string): readonly Intent[] {
  return splitClauses(text).map((clause) => {
    for (const rule of rules) {
      const intent = rule(clause);
      if (intent !== undefined) return intent;
    }
    return { type: 'unclear' };
  });
}

const rules: readonly ((clause: Clause) => Intent | undefined)[] = [
  asRun,
  asProcess,
  asReplace,
  asAppend,
  asDelete,
  asWrite,
  asFind,
  asTime,
  asList,
  asRead,
  asSay,
  asGreeting,
];

function asTime(clause: Clause): Intent | undefined {
  const { words } = clause;
  const asks = /^(?:what|which|tell|show|give|do you know|how late)\b/i.test(words) || words.split(/\s+/).length <= 3;
  const isTime = /\b(?:time|date|weekday|(?:what|which) day|day of the week|today|year|how late)\b/i.test(words);
  return asks && isTime && findPath(clause) === undefined ? { type: 'time' } : undefined;
}

const innerPlace = new RegExp(
  `^.*\\b(?:in|inside|of|under|at)\\s+(?:${article}\\s+)?(?:folder\\s+|directory\\s+)?([\\w~./@-]+|${anyMark})`,
  'i',
);

function asList(clause: Clause): Intent | undefined {
  const { words, restore } = clause;
  if (!/^(?:list|ls|dir|show|see|what|which|give|tell|look|display|make)\b/i.test(words)) return undefined;
  const isAboutFiles = /\b(?:files?|folders?|director(?:y|ies)|dir|contents?|ls|here)\b/i.test(words);
  const asksWhatIsIn = /^what(?:'s|s| is| are)?\s+(?:there\s+)?(?:in|inside|under)\b/i.test(words);
  if (!isAboutFiles && !asksWhatIsIn) return undefined;
  const path = findPath(clause);
  const isOneFile = path !== undefined && /[^/.]\.\w+$/.test(path) && !/\bfiles\b/i.test(words);
  if (isOneFile) return undefined;
  const place = path ?? restore(innerPlace.exec(words)?.[1] ?? '.');
  const isHere = /^(?:here|this|the|it|folder|directory|dir|project|current|working)$/i.test(place);
  return { type: 'list', path: isHere ? '.' : place };
}

const readingVerb =
  /^(?:read|show(?:\s+me)?|open|cat|print|display|view|see|what(?:'s|s| is| does)?|tell me|look (?:at|into)|summari[sz]e)\s+/i;
const backReference = /^(?:it|that|this|the (?:first|file|result)(?: (?:one|file))?)(?: (?:back|again|to me))?$/i;

function asRead(clause: Clause): Intent | undefined {
  if (!readingVerb.test(clause.words)) return undefined;
  const rest = clause.words.replace(readingVerb, '');
  const path = findPath(clause, rest);
  return path !== undefined || backReference.test(rest) ? { type: 'read', path } : undefined;
}

function asSay({ words, restore }: Clause): Intent | undefined {
  const text = /^(?:say|repeat|echo)\s+(.+)$/i.exec(words)?.[1];
  return text === undefined ? undefined : { type: 'say', text: restore(text) };
}

function asGreeting({ words }: Clause): Intent | undefined {
  const isGreeting = /^(?:hi|hello|hey|hallo|good (?:morning|afternoon|evening|day)|thanks?|thank you)\b/i.test(words);
  const asksWho = /\b(?:who|what) are you\b|\bwhat can you do\b|^help\b|\bhow do(?:es)? (?:you|this) work\b/i.test(
    words,
  );
  return isGreeting || asksWho ? { type: 'greet' } : undefined;
}
