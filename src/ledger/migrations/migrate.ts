import type { DatabaseSync } from 'node:sqlite';
import { LedgerFault } from '../fault.ts';
import { feedbackMigration } from './0011-feedback.ts';
import { federationMigration } from './0012-federation.ts';
import { sessionsMigration } from './0013-sessions.ts';
import { capabilitiesMigration } from './0014-capabilities.ts';
import { verdictsMigration } from './0015-verdicts.ts';
import { skillDistributionMigration } from './0016-skill-distribution.ts';
import { externalAgentsMigration } from './0017-external-agents.ts';
import { remoteTasksMigration } from './0018-remote-tasks.ts';
import { stoppedByMigration } from './0019-stopped-by.ts';
import { knownNodesMigration } from './0020-known-nodes.ts';
import { toldMessagesMigration } from './0021-told-messages.ts';
import { FIRST_TEN } from './first-ten.ts';

/** In order: the position in the list, from 1, is the number of the schema. Never changed once released. */
const MIGRATIONS: readonly string[] = [
  ...FIRST_TEN,
  feedbackMigration,
  federationMigration,
  sessionsMigration,
  capabilitiesMigration,
  verdictsMigration,
  skillDistributionMigration,
  externalAgentsMigration,
  remoteTasksMigration,
  stoppedByMigration,
  knownNodesMigration,
  toldMessagesMigration,
];

export const NEWEST_SCHEMA = MIGRATIONS.length;

/** Brings the schema up to date in one transaction, or up to an older one; refuses a newer schema. */
export function migrate(db: DatabaseSync, upTo = MIGRATIONS.length): void {
  const version = versionOf(db);
  if (version > MIGRATIONS.length) {
    throw new LedgerFault(
      'migrate',
      `the ledger has schema ${version}, this Baton knows ${MIGRATIONS.length}: use a newer Baton`,
      { retryable: false, code: 'newer_schema' },
    );
  }
  if (version >= upTo) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of MIGRATIONS.slice(version, upTo)) db.exec(migration);
    db.exec(`PRAGMA user_version = ${upTo}`);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}
