import { MIB, MIRROR_BASES_PER_TASK_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { type Reader, type Tuple, Tx } from '../tx.ts';

/** A file of the tree. `sha256` is the content that Baton last wrote, `nextSha256` the one it is about to write. */
export interface MirrorFile {
  readonly path: string;
  readonly taskId: TaskName;
  readonly sha256: string | null;
  readonly nextSha256: string | null;
  readonly revision: number;
}

export function selectMirrorFiles(tx: Reader, taskId: string): MirrorFile[] {
  const sql = 'SELECT path, task_id, sha256, next_sha256, revision FROM mirror_files WHERE task_id = ?';
  return tx.all(sql, taskId).map((row) => ({
    path: row.path as string,
    taskId: row.task_id as TaskName,
    sha256: row.sha256 as string | null,
    nextSha256: row.next_sha256 as string | null,
    revision: row.revision as number,
  }));
}

/** One page of the files below a folder, in the order of their paths. */
export function selectMirrorFilesBelow(tx: Reader, page: PathPage): Pick<MirrorFile, 'path' | 'sha256'>[] {
  // '0' is the character after the slash.
  const sql = 'SELECT path, sha256 FROM mirror_files WHERE path > ? AND path < ? ORDER BY path LIMIT ?';
  const last = `${page.folder}0`;
  return tx.tuples(sql, page.after ?? `${page.folder}/`, last, page.limit).map(([path, sha256]) => ({
    path: path as string,
    sha256: sha256 as string | null,
  }));
}

export interface PathPage {
  readonly folder: string;
  /** Continue after this path. */
  readonly after: string | null;
  readonly limit: number;
}

const UPSERT_MIRROR_FILE = `INSERT INTO mirror_files (path, task_id, sha256, next_sha256, revision) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET task_id = excluded.task_id, sha256 = excluded.sha256, next_sha256 = excluded.next_sha256,
  revision = excluded.revision`;

export function upsertMirrorFile(tx: Tx, file: MirrorFile): void {
  tx.write(UPSERT_MIRROR_FILE, file.path, file.taskId, file.sha256, file.nextSha256, file.revision);
}

export function deleteMirrorFile(tx: Tx, path: string): void {
  tx.write('DELETE FROM mirror_files WHERE path = ?', path);
}

/** The pending writes of a task's files have succeeded. */
export function settleMirrorFiles(tx: Tx, taskId: TaskName): void {
  tx.write(
    'UPDATE mirror_files SET sha256 = next_sha256, next_sha256 = NULL WHERE task_id = ? AND next_sha256 IS NOT NULL',
    taskId,
  );
}

export interface Page {
  readonly after: number;
  readonly limit: number;
}

export interface NumberedTask {
  readonly number: number;
  readonly id: TaskName;
}

/** All tasks, oldest first. */
export function selectTaskNames(tx: Reader, { after, limit }: Page): NumberedTask[] {
  const sql = 'SELECT number, id FROM tasks WHERE number > ? ORDER BY number LIMIT ?';
  return tx.all(sql, after, limit) as unknown as NumberedTask[];
}

/** One page of the tasks that the tree is behind on, by name, after `after`. */
export function selectUnmirrored(tx: Reader, after: string, limit: number): TaskName[] {
  const sql = 'SELECT task_id FROM unmirrored WHERE task_id > ? ORDER BY task_id LIMIT ?';
  return tx.tuples(sql, after, limit).map(([id]) => id as TaskName);
}

export function countUnmirrored(tx: Reader): number {
  return Number(tx.tuple('SELECT count(*) FROM unmirrored')?.[0]);
}

export function isMirrored(tx: Reader, taskId: TaskName): boolean {
  if (tx instanceof Tx && tx.touched.has(taskId)) return false;
  return tx.tuple('SELECT 1 FROM unmirrored WHERE task_id = ?', taskId) === undefined;
}

/** Makes the mirror write the task's files again though the task has not changed. */
export function touchTask(tx: Tx, taskId: TaskName): void {
  tx.writes++;
  tx.touched.add(taskId);
}

/** The tree shows the task as of commit `readAt`; if it was touched later, it stays in the table. */
export function deleteUnmirrored(tx: Tx, taskId: TaskName, readAt: number): void {
  if (tx.marks.isTouchedAfter(taskId, readAt)) return;
  tx.write('DELETE FROM unmirrored WHERE task_id = ?', taskId);
  tx.marks.settle(taskId);
}

/** Content of a task's file at a revision. */
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
/** The long texts of a task together; the newest is stored whatever its size. */
const BASES_BYTES_PER_TASK_MAX = 2 * MIB;
const SELECT_SIZES =
  'SELECT revision, octet_length(content) FROM mirror_bases WHERE task_id = ? ORDER BY revision DESC';
const DELETE_UP_TO = 'DELETE FROM mirror_bases WHERE task_id = ? AND revision <= ?';
/** As many texts of this length as may be stored are within the limit of bytes. */
const SHORT_CHARACTERS_MAX = BASES_BYTES_PER_TASK_MAX / MIRROR_BASES_PER_TASK_MAX;

/** Skips a revision with the same content as the one before. */
export function keepMirrorBase(tx: Tx, { taskId, revision, content }: MirrorBase): void {
  const newest = tx.tuple(SELECT_NEWEST, taskId);
  if (newest && newest[1] === content && (newest[0] as number) <= revision) return;
  tx.write(UPSERT_BASE, taskId, revision, content);
  if (newest) tx.write(DELETE_OLDEST, taskId);
  const tooOld = content.length > SHORT_CHARACTERS_MAX ? newestOverLimit(tx.tuples(SELECT_SIZES, taskId)) : null;
  if (tooOld !== null) tx.write(DELETE_UP_TO, taskId, tooOld);
}

/** The newest revision that is too much together with those after it; null if all may stay. */
function newestOverLimit(sizes: readonly Tuple[]): number | null {
  let bytes = 0;
  const over = sizes.find(([, size], at) => {
    bytes += size as number;
    return at > 0 && bytes > BASES_BYTES_PER_TASK_MAX;
  });
  return (over?.[0] ?? null) as number | null;
}

/** For a task that has ended: nobody merges into it any more. */
export function deleteMirrorBases(tx: Tx, taskId: TaskName): void {
  tx.write('DELETE FROM mirror_bases WHERE task_id = ?', taskId);
}

/** Content of the file at this revision; null if it is no longer stored. */
export function selectMirrorBase(tx: Reader, taskId: TaskName, revision: number): string | null {
  const sql = 'SELECT content FROM mirror_bases WHERE task_id = ? AND revision <= ? ORDER BY revision DESC LIMIT 1';
  return (tx.tuple(sql, taskId, revision)?.[0] ?? null) as string | null;
}
