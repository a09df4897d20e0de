/** What a chat shows of an answer, by platform. A platform that is not listed is not spoken of. */
const platformHints: Readonly<Record<string, string>> = {
  terminal:
    'Your answers are read in a terminal. Headings, bold words, lists, small tables and code are shown there; in a pipe Markdown stays as it is typed, so write what reads well either way.',
  telegram:
    'Your answers are read in Telegram, mostly on a phone. Bold, italic, links, quotes, lists and code are shown; headings become bold lines, tables are set in a fixed width and soon too wide. Keep answers short.',
  webchat:
    'Your answers are read in a web page that shows Markdown, with headings, lists, tables and code blocks; HTML is shown as text.',
};

/** The words for a platform, or none. Pure. */
export function hintFor(platform: string): string {
  return Object.hasOwn(platformHints, platform) ? (platformHints[platform] ?? '') : '';
}
