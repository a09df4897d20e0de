import { isJsonObject } from '../base/json.ts';
import type { Tool } from '../model/tool.ts';

// The usual numbers of BM25.
const saturation = 1.5;
const lengthWeight = 0.75;

/** The tools that a question is about, best first: by the words of their names, descriptions and parameters. Pure. */
export function rankTools(query: string, tools: readonly Tool[], limit: number): readonly Tool[] {
  const documents = tools.map((tool) => ({ tool, words: wordsOf(tool) }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const wanted = [...new Set(split(query))].map((word) => {
    const holders = documents.filter(({ words }) => words.includes(word)).length;
    return { word, rarity: Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5)) };
  });
  const plain = query.trim().toLowerCase();
  const scored = documents.map(({ tool, words }) => {
    const score = wanted.reduce((sum, { word, rarity }) => sum + rarity * weigh(word, words, average), 0);
    // A piece of a name finds it, too, behind what the words find.
    return { tool, score: score > 0 ? score : plain !== '' && tool.name.toLowerCase().includes(plain) ? 1e-9 : 0 };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

function weigh(word: string, words: readonly string[], average: number): number {
  const count = words.filter((each) => each === word).length;
  const length = 1 - lengthWeight + lengthWeight * (words.length / average);
  return (count * (saturation + 1)) / (count + saturation * length);
}

function wordsOf({ name, description, input }: Tool): readonly string[] {
  const fields = input.json['properties'];
  const parameters = isJsonObject(fields) ? Object.keys(fields) : [];
  return [name, description, ...parameters].flatMap(split);
}

function split(text: string): readonly string[] {
  return (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
      // One and many are the same thing to look for.
      .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word))
  );
}
