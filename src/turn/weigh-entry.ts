import type { TurnEntry } from '../model/turn.ts';

// What an entry takes besides its text: objects, and its places in maps and lists.
const overhead = 400;

/** About how many bytes of memory an entry takes once it is folded. */
export function weighEntry(entry: TurnEntry): number {
  return overhead + countCharacters(entry);
}

function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let characters = 0;
  for (const part of Object.values(value)) characters += countCharacters(part);
  return characters;
}
