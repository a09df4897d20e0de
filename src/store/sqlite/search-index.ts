import type { Database, Query } from './database.ts';

export type SearchIndex = (typeof searchIndexes)[number];

export const searchIndexes = ['text_words', 'text_pieces'] as const;

const changes: Query<{ total: number }> = { sql: 'SELECT total_changes() AS total' };
const commitsPerIndexing = 16;
const pagesAtOnce = 64;
const textsAtOnce = 50;
const charactersAtOnce = 5000;

// Texts are indexed in the order of their numbers, so everything up to the highest indexed number is in the index.
export const lastIndexed: Query<{ number: number }> = {
  sql: 'SELECT coalesce(max(id), 0) AS number FROM text_words_docsize',
};
const newTexts: Query<{ number: number; text: string }> = {
  sql: `SELECT number, text FROM texts WHERE number > (${lastIndexed.sql}) ORDER BY number`,
};

const newestText: Query<{ number: number; text: string }> = {
  sql: `SELECT number, text FROM texts WHERE number <= (${lastIndexed.sql}) ORDER BY number DESC LIMIT 1`,
};
const deletedTexts: Query<{ number: number; text: string }> = {
  sql: `SELECT number, text FROM deleted_texts JOIN texts USING (number) ORDER BY number LIMIT ${textsAtOnce}`,
};

/**
 * Indexes the texts that came since the last time: before whoever reads the index, and now and then in between. One large
 * piece is cheaper than many small ones, each of which would make the commit that it is part of wait for the disk longer.
 */
export function indexNewTexts(db: Database): void {
  for (const { number, text } of db.all(newTexts)) {
    for (const index of searchIndexes) db.run(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`, number, text);
  }
}

/** Something to do before each commit, which indexes with every so many of them, so that a search has little left to do. */
export function indexNowAndThen(db: Database): () => void {
  let commits = 0;
  return () => {
    commits += 1;
    if (commits % commitsPerIndexing === 0) indexNewTexts(db);
  };
}

/**
 * Takes a portion of the texts of deleted sessions out of the indexes, and says whether there are more. An index removes
 * a text word by word and piece by piece, so a long conversation would otherwise keep everyone waiting.
 */
export function unindexSome(db: Database): boolean {
  // What is not in an index cannot be taken out of it.
  indexNewTexts(db);
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

/** Writes the newest text into an index anew, as a piece of its own: FTS5 rewrites nothing where all of it is one piece. */
export function splitIndex(db: Database, index: SearchIndex): void {
  const newest = db.get(newestText);
  if (newest === undefined) return;
  db.run(`INSERT INTO ${index} (${index}, rowid, text) VALUES ('delete', ?, ?)`, newest.number, newest.text);
  db.run(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`, newest.number, newest.text);
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
