import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { migrate, NEWEST_SCHEMA } from './migrations/migrate.ts';

/** The digest of the newest schema's texts: a ledger that has it needs no second look. A test compares it with the migrations. */
const NEWEST_DIGEST = '0dfd4e73a2e52cf9faa857fcce0774ce44aa39a93bd1e54de5893324cb83bdb4';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly text: string | null;
}

/**
 * The first table, index or trigger whose text is not the one that the migrations wrote; null if all are. `integrity_check` compares
 * rows with whatever text it finds. Objects that Baton does not know may stand beside, such as the statistics of SQLite.
 */
export function findSchemaDamage(db: DatabaseSync): string | null {
  const schema = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (schema > NEWEST_SCHEMA) return null;
  const found = readObjects(db);
  if (schema === NEWEST_SCHEMA && isNewestDigest(digestOf(found))) return null;
  const expected = expectedObjects(schema);
  const texts = new Map(found.map((object) => [object.name, JSON.stringify(object)]));
  const wrong = expected.find((object) => texts.get(object.name) !== JSON.stringify(object));
  if (wrong) return `the definition of ${wrong.type} ${wrong.name} is not as Baton wrote it`;
  const known = new Set(expected.map(({ name }) => name));
  const early = expectedObjects(NEWEST_SCHEMA).find(({ name }) => !known.has(name) && texts.has(name));
  return early ? `${early.type} ${early.name} is of a later schema than ${schema}` : null;
}

export function digestOf(objects: readonly SchemaObject[]): string {
  return createHash('sha256').update(JSON.stringify(objects)).digest('hex');
}

export function isNewestDigest(digest: string): boolean {
  return digest === NEWEST_DIGEST;
}

export function readObjects(db: DatabaseSync): readonly SchemaObject[] {
  const sql = 'SELECT type, name, tbl_name AS "table", sql AS text FROM sqlite_schema ORDER BY name';
  return db.prepare(sql).all() as unknown as SchemaObject[];
}

function expectedObjects(schema: number): readonly SchemaObject[] {
  const db = new DatabaseSync(':memory:');
  try {
    migrate(db, schema);
    return readObjects(db);
  } finally {
    db.close();
  }
}
