import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from '../../domain/limits.ts';
import type { Now } from '../../domain/now.ts';
import type { Arrival, Entry, Frame, Head } from '../transport.ts';

const FILE = 'federation.sqlite';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS frames (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  dest TEXT NOT NULL,
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  prev INTEGER NOT NULL,
  fences TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  seal TEXT NOT NULL,
  envelope TEXT NOT NULL,
  UNIQUE (source, dest, epoch, seq)
) STRICT;
CREATE INDEX IF NOT EXISTS frames_by_pair ON frames (source, dest, number);
CREATE TABLE IF NOT EXISTS heads (source TEXT PRIMARY KEY, epoch TEXT NOT NULL, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  monotonic INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revisions (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS store (id TEXT NOT NULL) STRICT;
`;

/** Changed keys that the store remembers for those who watch. */
const REVISIONS_KEPT = 10_000;

type Row = Readonly<Record<string, string | number>>;

/** The SQLite file in the shared folder. Several processes have it open; each call is one short transaction. */
export class LocalStore {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #inode: number;
  /** Changes when the file is made anew. */
  readonly id: string;

  constructor(folder: string, newId: () => string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = join(folder, FILE);
    this.#db = new DatabaseSync(this.#file, { timeout: BUSY_TIMEOUT_MS });
    // No sync: what a power cut takes is published again from the ledgers.
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    this.#write(() => {
      this.#db.exec(SCHEMA);
      this.#run('INSERT INTO store (id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM store)', newId());
    });
    this.#inode = statSync(this.#file).ino;
    this.id = String(this.#one('SELECT id FROM store')?.id);
  }

  /** Whether the file at its path is another one by now, or gone. */
  isReplaced(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.ino !== this.#inode;
  }

  /** Grows when another connection has changed something. */
  version(): number {
    return Number(this.#one('PRAGMA data_version')?.data_version);
  }

  append(frames: readonly Frame[], isAgain: boolean): void {
    this.#write(() => {
      const insert = isAgain ? 'INSERT OR REPLACE' : 'INSERT OR IGNORE';
      for (const { source, dest, epoch, seq, prev, fences, recordedAt, seal, envelope } of frames) {
        this.#run(
          `${insert} INTO frames (source, dest, epoch, seq, prev, fences, recorded_at, seal, envelope)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          source,
          dest,
          epoch,
          seq,
          prev,
          fences,
          recordedAt,
          seal,
          envelope,
        );
      }
      const last = frames.at(-1);
      if (!last) return;
      const { source, epoch, seq } = last;
      const sql = `INSERT INTO heads (source, epoch, seq) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
        SET epoch = excluded.epoch, seq = excluded.seq WHERE epoch < excluded.epoch OR (epoch = excluded.epoch AND seq < excluded.seq)`;
      this.#run(sql, source, epoch, seq);
    });
  }

  head(source: string): Head | null {
    const row = this.#one('SELECT epoch, seq FROM heads WHERE source = ?', source);
    return row ? { epoch: String(row.epoch), seq: Number(row.seq) } : null;
  }

  trim(source: string, { epoch, seq }: Head): void {
    const sql = 'DELETE FROM frames WHERE source = ? AND (epoch < ? OR (epoch = ? AND seq <= ?))';
    this.#write(() => this.#run(sql, source, epoch, epoch, seq));
  }

  /** The frames for one node after a position. A position of another file, or behind the end, counts as none. */
  framesFor(pair: { readonly source: string; readonly dest: string }, after: string | null, limit: number): Arrival[] {
    const { source, dest } = pair;
    const sql = 'SELECT * FROM frames WHERE source = ? AND dest = ? AND number > ? ORDER BY number LIMIT ?';
    return this.#all(sql, source, dest, this.#numberOf(after), limit).map((row) => ({
      position: `${this.id}:${row.number}`,
      frame: {
        source,
        dest,
        epoch: String(row.epoch),
        seq: Number(row.seq),
        prev: Number(row.prev),
        fences: String(row.fences),
        recordedAt: Number(row.recorded_at),
        seal: String(row.seal),
        envelope: String(row.envelope),
      },
    }));
  }

  get(key: string, now: Now): Entry | null {
    const row = this.#one('SELECT * FROM records WHERE key = ?', key);
    return row ? toEntry(row, now) : null;
  }

  list(prefix: string, now: Now): Entry[] {
    // A dot is followed by a slash in ASCII, so this is the range of all keys with the prefix.
    const end = `${prefix.slice(0, -1)}/`;
    return this.#all('SELECT * FROM records WHERE key >= ? AND key < ? ORDER BY key', prefix, end).map((row) =>
      toEntry(row, now),
    );
  }

  put({ key, value, revision }: Pick<Entry, 'key' | 'value' | 'revision'>, now: Now): number | null {
    return this.#write(() => {
      if (this.#revisionOf(key) !== revision) return null;
      const next = this.#note(key);
      const sql =
        'INSERT OR REPLACE INTO records (key, value, revision, at, boot_id, monotonic) VALUES (?, ?, ?, ?, ?, ?)';
      this.#run(sql, key, value, next, now.wallMs, now.bootId, now.monotonicMs);
      return next;
    });
  }

  remove(key: string, revision: number): boolean {
    return this.#write(() => {
      if (this.#revisionOf(key) !== revision) return false;
      this.#note(key);
      this.#run('DELETE FROM records WHERE key = ?', key);
      return true;
    });
  }

  /** The keys that changed after a change, and the number of the last one. */
  changesAfter(number: number): { readonly keys: readonly string[]; readonly last: number } {
    const rows = this.#all('SELECT number, key FROM revisions WHERE number > ? ORDER BY number', number);
    return { keys: rows.map(({ key }) => String(key)), last: Number(rows.at(-1)?.number ?? number) };
  }

  lastChange(): number {
    return Number(this.#one('SELECT max(number) AS last FROM revisions')?.last ?? 0);
  }

  close(): void {
    this.#db.close();
  }

  #numberOf(position: string | null): number {
    const [id, number] = (position ?? '').split(':');
    if (id !== this.id) return 0;
    const last = Number(this.#one("SELECT seq FROM sqlite_sequence WHERE name = 'frames'")?.seq ?? 0);
    return Number(number) > last ? 0 : Number(number);
  }

  #revisionOf(key: string): number {
    return Number(this.#one('SELECT revision FROM records WHERE key = ?', key)?.revision ?? 0);
  }

  #note(key: string): number {
    const row = this.#one('INSERT INTO revisions (key) VALUES (?) RETURNING number', key);
    const number = Number(row?.number);
    if (number % 100 === 0) this.#run('DELETE FROM revisions WHERE number < ?', number - REVISIONS_KEPT);
    return number;
  }

  #write<Result>(change: () => Result): Result {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = change();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: (string | number)[]): void {
    this.#prepared(sql).run(...values);
  }

  #one(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  #prepared(sql: string): ReturnType<DatabaseSync['prepare']> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

/** Within one boot the monotonic clock, which all processes share, tells the age: somebody may set the wall clock. */
function toEntry(row: Row, now: Now): Entry {
  const isThisBoot = row.boot_id === now.bootId;
  const ageMs = isThisBoot ? now.monotonicMs - Number(row.monotonic) : now.wallMs - Number(row.at);
  return { key: String(row.key), value: String(row.value), revision: Number(row.revision), ageMs: Math.max(0, ageMs) };
}
