import { article } from './article.ts';
import { anyMark } from './quotes.ts';

const inQuotes = new RegExp(`^(?:(?:the\\s+)?(?:text|words?|line)\\s+)?(${anyMark})$`, 'i');
const described = new RegExp(`^${article}(?:\\s|$)`, 'i');
const relation = /\b(?:about|for|from|of|on|that|to|which|with|without)\b/i;
const work =
  /\b(?:answers?|article|changes|code|comments?|content|contents|data|docs?|documentation|email|functions?|lines?|mail|messages?|output|programs?|readme|reports?|results?|scripts?|something|specs?|summary|tests?|text|translation|words?)\b/i;
const mostWords = 6;

/** What is given in quotes, to be written as it stands. */
export function quotedText(object: string): string | undefined {
  return inQuotes.exec(object)?.[1];
}

/**
 * The same without quotes: a few words that describe nothing. "hello world" is such a text; "documentation" and "a summary
 * of it" are works that the demo cannot do.
 */
export function plainText(object: string): string | undefined {
  const isShort = object !== '' && object.split(/\s+/).length <= mostWords;
  const isDescription = described.test(object) || relation.test(object) || work.test(object);
  return isShort && !isDescription ? object : undefined;
}
