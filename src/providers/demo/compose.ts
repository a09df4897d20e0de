import type { Form } from './intent.ts';

/** Makes up a short text. The same wish gives the same text: its words are the seed of every choice. Pure. */
export function compose(form: Form, topic: string): string {
  const pick = createPicker(`${form} ${topic}`);
  const about = topic === '' ? pick(topics) : topic;
  switch (form) {
    case 'poem':
      return `${title(about)}\n\n${stanza(about, pick)}\n\n${stanza(about, pick)}\n`;
    case 'haiku':
      return `${haiku(about, pick)}\n`;
    case 'list':
      return `${title(about)}\n\n${listItems(about, pick)}\n`;
    case 'note':
      return `${title(about)}\n\n${pick(openings)} ${about}. ${pick(middles)} ${pick(endings)}\n`;
  }
}

type Pick = <Item>(items: readonly Item[]) => Item;

/** Choices that look random and are not: a small generator (xorshift) that starts from the letters of the seed. */
function createPicker(seed: string): Pick {
  let state = 0x811c9dc5;
  for (const letter of seed.toLowerCase()) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return (items) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return items[(state >>> 0) % items.length] as (typeof items)[number];
  };
}

const topics: readonly string[] = [
  'rain',
  'the morning',
  'an open window',
  'the last train',
  'salt and sea',
  'a small garden',
];
const adjectives: readonly string[] = [
  'quiet',
  'patient',
  'golden',
  'gentle',
  'restless',
  'silver',
  'early',
  'distant',
];
const nouns: readonly string[] = ['river', 'lantern', 'sparrow', 'window', 'shadow', 'harbour', 'letter', 'garden'];
const verbs: readonly string[] = ['waits', 'sings', 'drifts', 'wakes', 'turns', 'hums', 'glows', 'rests'];
const rhymes: readonly (readonly string[])[] = [
  ['in morning light', 'all through the night', 'so clear and bright', 'just out of sight'],
  ['beneath the tree', 'beside the sea', 'at last set free', 'for you and me'],
  ['at break of day', 'along the way', 'in shades of grey', 'where children play'],
  ['without a sound', 'on quiet ground', 'as bells resound', 'where hope is found'],
  ['so soft and slow', 'where rivers flow', 'in fields of snow', 'like years ago'],
];

/** Two rhymed couplets; the first line names the topic. */
function stanza(about: string, pick: Pick): string {
  const opening = pick(rhymes);
  const closing = pick(rhymes.filter((rhyme) => rhyme !== opening));
  const lines = [opening, closing].flatMap((rhyme, couplet) => {
    const first = pick(rhyme);
    const second = pick(rhyme.filter((tail) => tail !== first));
    const head = couplet === 0 ? `A ${pick(adjectives)} thought of ${about}` : lineHead(pick);
    return [`${head} ${first},`, `${lineHead(pick)} ${second}${couplet === 0 ? ';' : '.'}`];
  });
  return lines.map((line) => capitalise(line).replace(/\bA (?=[aeiou])/, 'An ')).join('\n');
}

function lineHead(pick: Pick): string {
  return `${pick(['a', 'the', 'each', 'some'])} ${pick(adjectives)} ${pick(nouns)} ${pick(verbs)}`;
}

const phrases: Readonly<Record<number, readonly string[]>> = {
  1: ['now', 'still', 'here'],
  2: ['at dawn', 'again', 'alone'],
  3: ['in the rain', 'after all', 'by the door'],
  4: ['under the moon', 'waiting for spring', 'quiet and slow'],
  5: ['a bell far away', 'the wind in the reeds', 'footsteps on the stairs', 'morning finds its way'],
  7: [
    'the river carries the leaves',
    'nobody counts the minutes',
    'a single lamp keeps burning',
    'and every shadow listens',
  ],
};

/** Five, seven and five syllables; the topic begins it if it leaves room for another word. */
function haiku(about: string, pick: Pick): string {
  const left = 5 - countSyllables(about);
  const filler = phrases[left];
  const first = filler === undefined ? pick(phrases[5] ?? topics) : `${about} ${pick(filler)}`;
  const last = pick(phrases[5] ?? topics);
  return [first, pick(phrases[7] ?? topics), last].map(capitalise).join('\n');
}

/** A guess by groups of vowels, which is right for most short words. */
function countSyllables(text: string): number {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.reduce((sum, word) => sum + (word.replace(/(?<=[^aeiouyl])e$/, '').match(/[aeiouy]+/g)?.length ?? 1), 0);
}

const steps: readonly string[] = [
  'Look at % from close by',
  'Ask someone older about %',
  'Write down one true thing about %',
  'Set an hour aside for %',
  'Tell a friend about %',
  'Find a picture of %',
  'Forget what you expected of %',
];

function listItems(about: string, pick: Pick): string {
  const start = steps.indexOf(pick(steps));
  const chosen = steps.map((_, index) => steps[(start + index) % steps.length] ?? '').slice(0, 5);
  return chosen.map((step, index) => `${index + 1}. ${step.replace('%', about)}`).join('\n');
}

const openings: readonly string[] = [
  'This is a short note about',
  'Here are a few words about',
  'Something to remember about',
];
const middles: readonly string[] = [
  'It is written by a demo, so it knows nothing in particular.',
  'There is more to say than fits on this page.',
  'Whoever reads this should add what they know.',
];
const endings: readonly string[] = [
  'A real model would do better.',
  'Change it as you like.',
  'Keep it, or throw it away.',
];

function title(text: string): string {
  return `# ${capitalise(text)}`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
