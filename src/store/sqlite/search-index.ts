import type { Database, Query } from './database.ts';

export type SearchIndex = (typeof searchIndexes)[number];

export const searchIndexes = ['text_words', 'text_pieces'] as const;

const changes: Query<{ total: number }> = { sql: 'SELECT total_changes() AS total' };
const pagesAtOnce = 64;
const textsAtOnce = 50;
const charactersAtOnce = 5000;

// Texts are indexed in the order of their numbers, so everything up to the highest indexed number is in the index.
const lastIndexed: Query<{ number: number }> = {
  sql: 'SELECT coalesce(max(id), 0) AS number FROM text_words_docsize',
};
const newTexts: Query<{ number: number; text: string }> = {
  sql: `SELECT number, text FROM texts WHERE number > (${lastIndexed.sql}) ORDER BY number`,
};

const deletedTexts: Query<{ number: number; text: string }> = {
  sql: `SELECT number, text FROM deleted_texts JOIN texts USING (number) ORDER BY number LIMIT ${textsAtOnce}`,
};

/**
 * Indexes the texts that came since the last time. Called once for each transaction and not for each text: the index is
 * written out at every savepoint, and one large piece is cheaper than many small ones.
 */
export function indexNewTexts(db: Database): void {
  for (const { number, text } of db.all(newTexts)) {
    for (const index of searchIndexes) db.run(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`, number, text);
  }
}

/**
 * Takes a portion of the texts of deleted sessions out of the indexes, and says whether there are more. An index removes
 * a text word by word and piece by piece, so a long conversation would otherwise keep everyone waiting.
 */
export function unindexSome(db: Database): boolean {
  const found = db.all(deletedTexts);
  let characters = 0;
  for (const { number, text } of found) {
    for (const index of searchIndexes)
      db.run(`INSERT INTO ${index} (${index}, rowid, text) VALUES ('delete', ?, ?)`, number, text);
    db.run('DELETE FROM texts WHERE number = ?', number);
    db.run('DELETE FROM deleted_texts WHERE number = ?', number);
    characters += text.length;
    if (characters > charactersAtOnce) return true;
  }
  return found.length === textsAtOnce;
}

/**
 * Rewrites a portion of an index without the emptied pages that deleting leaves in it. `first` looks at the whole index
 * anew. Says whether there is more to do.
 */
export function tidyIndex(db: Database, index: SearchIndex, portion: 'first' | 'next'): boolean {
  const before = db.get(changes)?.total ?? 0;
  // FTS5's own terms: a negative count takes up all segments, and less than two changes mean that it is done.
  const pages = portion === 'first' ? -pagesAtOnce : pagesAtOnce;
  db.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`, pages);
  return (db.get(changes)?.total ?? 0) - before >= 2;
}
