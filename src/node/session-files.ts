import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SessionReport } from '../domain/session-report.ts';
import { writeDurably } from '../platform/durable-files.ts';
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

/** Writes SESSION_FINAL_REPORT to sessions/ID/final_report.json. */
export async function publishSession(dataFolder: string, report: SessionReport): Promise<void> {
  const file = join(dataFolder, SESSIONS, sessionFolderName(report.sessionId), 'final_report.json');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, `${JSON.stringify(encodeSessionReport(report, null), null, 2)}\n`);
}
