/** A step from one version of the schema to the next. Steps are never changed once released; a new one is added. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
      -- What changes with every entry (last_seq, active_at) stands apart from what is large.
      CREATE TABLE sessions (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        address_key TEXT NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        thread TEXT NOT NULL,
        person TEXT NOT NULL,
        workdir TEXT NOT NULL,
        title TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        active_at INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        answers INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX sessions_answering ON sessions (address_key) WHERE answers = 1;

      CREATE TABLE frozen_prompts (
        session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
        prompt TEXT NOT NULL
      ) STRICT;

      -- Numbers rise in the order of admission; two turns of one millisecond keep theirs.
      CREATE TABLE turns (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        is_settled INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX turns_of_session ON turns (session_id);
      CREATE INDEX turns_unsettled ON turns (session_id, number) WHERE is_settled = 0;

      CREATE TABLE entries (
        number INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        turn_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        entry TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX entries_in_order ON entries (session_id, seq);

      -- What can be searched, once; the two indexes refer to it. A text has the number of its entry, and outlives it
      -- until it is out of the indexes, for which they need to see it again.
      CREATE TABLE texts (
        number INTEGER PRIMARY KEY,
        author TEXT NOT NULL,
        text TEXT NOT NULL
      ) STRICT;
      CREATE TABLE deleted_texts (
        number INTEGER PRIMARY KEY
      ) STRICT;
      CREATE VIRTUAL TABLE text_words USING fts5 (
        text, content = 'texts', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2'
      );
      CREATE VIRTUAL TABLE text_pieces USING fts5 (
        text, content = 'texts', content_rowid = 'number', tokenize = 'trigram remove_diacritics 1'
      );
      -- Without this, deleted words stay readable in the index until it happens to be merged.
      INSERT INTO text_words (text_words, rank) VALUES ('secure-delete', 1);
      INSERT INTO text_pieces (text_pieces, rank) VALUES ('secure-delete', 1);

      -- A key outlives its session, as a digest: a message that comes again must not start a deleted conversation anew.
      CREATE TABLE inbox (
        number INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
        turn_id TEXT
      ) STRICT;
      CREATE INDEX inbox_open ON inbox (turn_id) WHERE turn_id IS NOT NULL;
      CREATE INDEX inbox_of_session ON inbox (session_id) WHERE session_id IS NOT NULL;

      CREATE TABLE outbox (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        address_key TEXT NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        thread TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        copy TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        not_before INTEGER NOT NULL,
        not_after INTEGER NOT NULL,
        sent_by TEXT,
        note TEXT
      ) STRICT;
      CREATE INDEX outbox_open ON outbox (platform, number) WHERE state IN ('queued', 'sending');
      CREATE INDEX outbox_of_session ON outbox (session_id);

      CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL,
        owner TEXT,
        run TEXT,
        until REAL NOT NULL
      ) STRICT;

      CREATE TABLE blobs (
        id TEXT PRIMARY KEY,
        content BLOB NOT NULL
      ) STRICT;
      CREATE TABLE session_blobs (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        blob_id TEXT NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
        PRIMARY KEY (session_id, blob_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX session_blobs_by_blob ON session_blobs (blob_id);

      CREATE TABLE schedules (
        id TEXT PRIMARY KEY,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        thread TEXT NOT NULL,
        person TEXT NOT NULL,
        cron TEXT NOT NULL,
        prompt TEXT NOT NULL,
        next_at INTEGER NOT NULL,
        last_slot INTEGER
      ) STRICT;

      CREATE TABLE spending (
        scope TEXT PRIMARY KEY,
        amount INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE reservations (
        id TEXT NOT NULL,
        scope TEXT NOT NULL,
        amount INTEGER NOT NULL,
        PRIMARY KEY (id, scope)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 2,
    sql: `
      ALTER TABLE sessions ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';

      -- What calls took stays when their session goes: sums of past days must not fall. Nothing in it was said by anyone.
      CREATE TABLE usages (
        number INTEGER PRIMARY KEY,
        session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
        turn_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        runtime TEXT NOT NULL,
        purpose TEXT NOT NULL,
        fresh INTEGER NOT NULL,
        cache_read INTEGER NOT NULL,
        cache_write INTEGER NOT NULL,
        output INTEGER NOT NULL,
        reasoning INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX usages_at ON usages (at);
      CREATE INDEX usages_of_session ON usages (session_id) WHERE session_id IS NOT NULL;
    `,
  },
  {
    version: 3,
    sql: `
      -- NULL for calls from before anyone noted it: they are priced by the setting of today.
      ALTER TABLE usages ADD COLUMN cache_life TEXT;
    `,
  },
  {
    version: 4,
    sql: `
      CREATE TABLE people (
        person TEXT PRIMARY KEY,
        since INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- The digest goes when the code is used or replaced; the row stays for a day, since it counts against the limits.
      CREATE TABLE pairing_offers (
        number INTEGER PRIMARY KEY,
        person TEXT NOT NULL,
        digest TEXT UNIQUE,
        at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX pairing_offers_at ON pairing_offers (at);
    `,
  },
  {
    version: 5,
    sql: `
      -- Where a message stands among the entries of its session. Those from before are shown by nobody who would ask.
      ALTER TABLE outbox ADD COLUMN after_seq INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE outbox ADD COLUMN at INTEGER NOT NULL DEFAULT 0;

      CREATE TABLE web_logins (
        digest TEXT PRIMARY KEY,
        since INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 6,
    sql: `
      -- What goes along with a message, as JSON.
      ALTER TABLE outbox ADD COLUMN files TEXT;

      -- The first who was let in is the owner.
      ALTER TABLE people ADD COLUMN role TEXT NOT NULL DEFAULT 'guest';
      UPDATE people SET role = 'owner' WHERE person = (SELECT person FROM people ORDER BY since, person LIMIT 1);

      -- Codes for whoever sits at this machine; the digest alone is kept, and goes when the code is used.
      CREATE TABLE owner_codes (
        digest TEXT PRIMARY KEY,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 7,
    sql: `
      -- The turn that was stopped for this one.
      ALTER TABLE turns ADD COLUMN interrupts TEXT;

      CREATE TABLE home_chats (
        platform TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        chat TEXT NOT NULL,
        thread TEXT NOT NULL,
        person TEXT NOT NULL,
        since INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 8,
    sql: `
      -- Some of it may be there already, though it is to be sent again.
      ALTER TABLE outbox ADD COLUMN is_seen INTEGER NOT NULL DEFAULT 0;
    `,
  },
  {
    version: 9,
    sql: `
      -- Whose conversation it is in a chat of several people; empty: everyone's there.
      ALTER TABLE sessions ADD COLUMN member TEXT NOT NULL DEFAULT '';
      ALTER TABLE outbox ADD COLUMN member TEXT NOT NULL DEFAULT '';
      ALTER TABLE schedules ADD COLUMN member TEXT NOT NULL DEFAULT '';
      ALTER TABLE home_chats ADD COLUMN member TEXT NOT NULL DEFAULT '';
    `,
  },
  {
    version: 10,
    sql: `
      -- Another was begun in its place, so that its task is to be closed.
      ALTER TABLE sessions ADD COLUMN is_replaced INTEGER NOT NULL DEFAULT 0;
    `,
  },
  {
    version: 11,
    sql: `
      -- What becomes of a message is said by its turn, once. Of the message itself only the key is kept, in one place instead of four.
      CREATE TABLE inbox_keys (
        digest BLOB PRIMARY KEY
      ) STRICT, WITHOUT ROWID;
      INSERT INTO inbox_keys SELECT digest FROM inbox ORDER BY digest;
      DROP TABLE inbox;
      ALTER TABLE inbox_keys RENAME TO inbox;

      -- Where a log ends is said by its entries.
      ALTER TABLE sessions DROP COLUMN last_seq;
    `,
  },
  {
    version: 12,
    sql: `
      -- What the platform called someone when they came, to be shown; NULL where nobody noted it. In an offer it goes with the code.
      ALTER TABLE people ADD COLUMN name TEXT;
      ALTER TABLE pairing_offers ADD COLUMN name TEXT;
    `,
  },
  {
    version: 13,
    sql: `
      -- The message that a turn answers, as JSON, and what its answer is sent as a reply to; NULL for none.
      ALTER TABLE turns ADD COLUMN reply_to TEXT;
      ALTER TABLE outbox ADD COLUMN reply_to TEXT;
    `,
  },
];
