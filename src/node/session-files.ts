import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { TRAIL_FOLDER, writeTrail } from '../checks/audit-trail.ts';
import type { AuditedSession, SessionAudit } from '../domain/session/audited-session.ts';
import type { SessionReport } from '../domain/session/session-report.ts';
import { writeDurably } from '../platform/files/durable-files.ts';
import { openNodeKey, rememberSigner } from '../platform/node-key.ts';
import { encodeAudit } from '../protocols/aop/encode-audit.ts';
import { encodeSessionReport } from '../protocols/aop/encode-session-report.ts';

/** Files of sessions in the data folder. */
const SESSIONS = 'sessions';
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;
const HASH_CHARACTERS = 16;

/** The folder of a session: its id, or for one that is no plain file name the beginning of it and a hash. */
function sessionFolderName(sessionId: string): string {
  if (PLAIN_NAME.test(sessionId)) return sessionId;
  const start = sessionId.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40);
  return `${start}.${createHash('sha256').update(sessionId).digest('hex').slice(0, HASH_CHARACTERS)}`;
}

/** The folder of a session, with its final report and its audit trail. */
export function sessionFolder(dataFolder: string, sessionId: string): string {
  return join(dataFolder, SESSIONS, sessionFolderName(sessionId));
}

/** Writes the audit trail, then SESSION_FINAL_REPORT to sessions/ID/final_report.json. */
export async function publishSession(
  dataFolder: string,
  report: SessionReport,
  audited: AuditedSession,
): Promise<SessionAudit> {
  const { sessionId } = report;
  const folder = sessionFolder(dataFolder, sessionId);
  const key = openNodeKey(dataFolder);
  rememberSigner(dataFolder, key);
  const head = await writeTrail(folder, { sessionId, records: encodeAudit(report, audited) }, key);
  const audit = { storagePath: join(relative(dataFolder, folder), TRAIL_FOLDER), ...head };
  await writeDurably(
    join(folder, 'final_report.json'),
    `${JSON.stringify(encodeSessionReport(report, audit), null, 2)}\n`,
  );
  return audit;
}
