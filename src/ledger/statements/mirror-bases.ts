import { MIRROR_BASES_PER_TASK_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Reader, Tx } from '../tx.ts';

/** What the file of a task says at a revision. */
export interface MirrorBase {
  readonly taskId: TaskName;
  readonly revision: number;
  readonly content: string;
}

const SELECT_NEWEST = 'SELECT revision, content FROM mirror_bases WHERE task_id = ? ORDER BY revision DESC LIMIT 1';
const UPSERT_BASE = `INSERT INTO mirror_bases (task_id, revision, content) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET content = excluded.content`;
const DELETE_OLDEST = `DELETE FROM mirror_bases WHERE task_id = ?1 AND revision <=
  (SELECT revision FROM mirror_bases WHERE task_id = ?1 ORDER BY revision DESC LIMIT 1 OFFSET ${MIRROR_BASES_PER_TASK_MAX})`;

/** A revision that says the same as the one before has no row of its own. */
export function keepMirrorBase(tx: Tx, { taskId, revision, content }: MirrorBase): void {
  const newest = tx.tuple(SELECT_NEWEST, taskId);
  if (newest && newest[1] === content && (newest[0] as number) <= revision) return;
  tx.write(UPSERT_BASE, taskId, revision, content);
  if (newest) tx.write(DELETE_OLDEST, taskId);
}

/** Of a task that has ended nothing older is kept. */
export function deleteMirrorBases(tx: Tx, taskId: TaskName): void {
  tx.write('DELETE FROM mirror_bases WHERE task_id = ?', taskId);
}

/** What the file said at this revision; null where that is not known any more. */
export function selectMirrorBase(tx: Reader, taskId: TaskName, revision: number): string | null {
  const sql = 'SELECT content FROM mirror_bases WHERE task_id = ? AND revision <= ? ORDER BY revision DESC LIMIT 1';
  return (tx.tuple(sql, taskId, revision)?.[0] ?? null) as string | null;
}
