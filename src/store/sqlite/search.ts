import type { SessionId, TurnId } from '../../base/ids.ts';
import type { Search, SearchHit } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';
import { indexNewTexts, lastIndexed } from './search-index.ts';
import { cutSnippet, quoteAsPhrase, quoteWords, shortestPiece, toLikePattern } from './search-query.ts';

interface HitRow {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly seq: number;
  readonly at: number;
  readonly author: SearchHit['author'];
  readonly snippet: string;
}

const withWords = matchQuery('text_words', 16);
const withPiece = matchQuery('text_pieces', 64);
const containing: Query<HitRow> = {
  sql: String.raw`SELECT session_id, turn_id, seq, at, author, text AS snippet
    FROM texts JOIN entries ON entries.number = texts.number
    WHERE text LIKE ? ESCAPE '\' ORDER BY texts.number DESC LIMIT ?`,
};
const unindexed: Query<HitRow> = {
  sql: `SELECT session_id, turn_id, seq, at, author, text AS snippet
    FROM texts JOIN entries ON entries.number = texts.number
    WHERE texts.number > (${lastIndexed.sql}) ORDER BY texts.number DESC`,
};
// The cross joins hold the order: from the newest text down, and no further than the limit.
const saidLast: Query<{ text: string }> = {
  sql: `SELECT text FROM texts CROSS JOIN entries ON entries.number = texts.number
      CROSS JOIN sessions ON sessions.id = session_id
    WHERE author = 'user' AND platform = ? ORDER BY texts.number DESC LIMIT ?`,
};

/** Words first; where no text has them all, the query as a piece of text, which also finds scripts without spaces. */
export function searchRows(db: Database): Rows<Search> {
  return {
    find(query, limit) {
      const text = readQuery(query);
      if (text === '' || limit < 1) return [];
      indexNewTexts(db);
      return findIndexed(db, text, limit).map(toHit);
    },
    lastSaid: (platform, limit) => db.all(saidLast, platform, limit).map(({ text }) => text),
  };
}

/** The same where nothing may be written: the few texts that are not in the index yet are looked through, and come first. */
export function searchRowsAsTheyAre(db: Database): Rows<Search> {
  return {
    ...searchRows(db),
    find(query, limit) {
      const text = readQuery(query);
      if (text === '' || limit < 1) return [];
      return [...findUnindexed(db, text), ...findIndexed(db, text, limit)].slice(0, limit).map(toHit);
    },
  };
}

function readQuery(query: string): string {
  return query.replaceAll('\0', ' ').trim();
}

function findIndexed(db: Database, text: string, limit: number): readonly HitRow[] {
  const words = quoteWords(text);
  const hits = words === '' ? [] : db.all(withWords, words, limit);
  return hits.length > 0 ? hits : findPiece(db, text, limit);
}

function findUnindexed(db: Database, text: string): readonly HitRow[] {
  const words = text.split(/\s+/);
  return db
    .all(unindexed)
    .filter((row) => words.every((word) => row.snippet.toLowerCase().includes(word.toLowerCase())))
    .map((row) => ({ ...row, snippet: cutSnippet(row.snippet, words[0] ?? '') }));
}

function matchQuery(index: 'text_words' | 'text_pieces', tokensShown: number): Query<HitRow> {
  return {
    sql: `SELECT session_id, turn_id, seq, at, author, snippet(${index}, 0, '«', '»', '…', ${tokensShown}) AS snippet
      FROM ${index} JOIN texts ON texts.number = ${index}.rowid JOIN entries ON entries.number = ${index}.rowid
      WHERE ${index} MATCH ? ORDER BY rank, ${index}.rowid DESC LIMIT ?`,
  };
}

function findPiece(db: Database, text: string, limit: number): readonly HitRow[] {
  if (Array.from(text).length >= shortestPiece) return db.all(withPiece, quoteAsPhrase(text), limit);
  // One or two characters are too few for the index, and a whole word in Chinese or Japanese.
  const rows = db.all(containing, toLikePattern(text), limit);
  return rows.map((row) => ({ ...row, snippet: cutSnippet(row.snippet, text) }));
}

function toHit(row: HitRow): SearchHit {
  return {
    sessionId: row.session_id,
    turnId: row.turn_id,
    seq: row.seq,
    at: row.at,
    author: row.author,
    snippet: row.snippet,
  };
}
