import type { Reader, Tx } from '../tx.ts';

/** A problem of the node that is not resolved yet. */
export interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly taskId: string | null;
  readonly detail: string;
  /** The key of its subject, where one kind can be open for several. */
  readonly subject: string | null;
  readonly openedAt: number;
}

const SELECT = 'SELECT id, kind, task_id, detail, subject, opened_at, closed_at FROM incidents';

function toIncident(row: Readonly<Record<string, unknown>>): Incident {
  return {
    id: row.id as string,
    kind: row.kind as string,
    taskId: row.task_id as string | null,
    detail: row.detail as string,
    subject: row.subject as string | null,
    openedAt: row.opened_at as number,
  };
}

export function selectOpenIncidents(tx: Reader, limit: number): Incident[] {
  return tx.all(`${SELECT} WHERE closed_at IS NULL ORDER BY id LIMIT ?`, limit).map(toIncident);
}

/** An incident, open or closed. */
export function selectIncident(
  tx: Reader,
  id: string,
): { readonly incident: Incident; readonly closedAt: number | null } | null {
  const row = tx.one(`${SELECT} WHERE id = ?`, id);
  return row ? { incident: toIncident(row), closedAt: row.closed_at as number | null } : null;
}

/** The open ones whose kind begins with this. */
export function countOpenKinds(tx: Reader, prefix: string): number {
  const sql = 'SELECT count(*) FROM incidents WHERE closed_at IS NULL AND substr(kind, 1, length(?)) = ?';
  return Number(tx.tuple(sql, prefix, prefix)?.[0] ?? 0);
}

/** The open ones whose kind begins with this, oldest first. */
export function selectOpenOfKind(tx: Reader, prefix: string): Incident[] {
  const sql = `${SELECT} WHERE closed_at IS NULL AND substr(kind, 1, length(?)) = ? ORDER BY id`;
  return tx.all(sql, prefix, prefix).map(toIncident);
}

export function countOpenIncidents(tx: Reader): number {
  return Number(tx.tuple('SELECT count(*) FROM incidents WHERE closed_at IS NULL')?.[0] ?? 0);
}

export interface NewIncident {
  readonly kind: string;
  readonly taskId: string | null;
  readonly detail: string;
  /** The file of the tree that it concerns. */
  readonly path?: string;
  /** The key of what it concerns, where one kind can be open for several things at once. */
  readonly subject?: string;
}

const INSERT_INCIDENT =
  'INSERT INTO incidents (id, kind, task_id, detail, path, subject, opened_at, closed_at) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)';

export function insertIncident(tx: Tx, { kind, taskId, detail, path, subject }: NewIncident): string {
  const id = `inc_${tx.moment.ids.ulid()}`;
  tx.write(INSERT_INCIDENT, id, kind, taskId, detail, path ?? null, subject ?? null, tx.moment.now.wallMs);
  return id;
}

export function closeIncident(tx: Tx, id: string): void {
  tx.write('UPDATE incidents SET closed_at = ? WHERE id = ?', tx.moment.now.wallMs, id);
}

/** The open incident of a kind that concerns no single task. */
export function selectOpenIncident(tx: Reader, kind: string): string | null {
  const sql = 'SELECT id FROM incidents WHERE kind = ? AND task_id IS NULL AND path IS NULL AND closed_at IS NULL';
  return (tx.one(sql, kind)?.id ?? null) as string | null;
}

/** The open incident of a kind about one subject. */
export function selectIncidentAbout(tx: Reader, kind: string, subject: string): string | null {
  const sql = 'SELECT id FROM incidents WHERE kind = ? AND subject = ? AND closed_at IS NULL';
  return (tx.one(sql, kind, subject)?.id ?? null) as string | null;
}

export function selectOpenKinds(tx: Reader): string[] {
  const sql = 'SELECT DISTINCT kind FROM incidents WHERE task_id IS NULL AND closed_at IS NULL';
  return tx.all(sql).map((row) => row.kind as string);
}

/** An open incident about one file. */
export interface FileIncident {
  readonly id: string;
  readonly kind: string;
  readonly path: string;
  readonly taskId: string | null;
}

export function selectFileIncidents(tx: Reader, limit: number): FileIncident[] {
  const sql = 'SELECT id, kind, path, task_id FROM incidents WHERE path IS NOT NULL AND closed_at IS NULL LIMIT ?';
  return tx.all(sql, limit).map((row) => ({
    id: row.id as string,
    kind: row.kind as string,
    path: row.path as string,
    taskId: row.task_id as string | null,
  }));
}

export function selectFileIncident(tx: Reader, path: string, kind: string): string | null {
  const sql = 'SELECT id FROM incidents WHERE path = ? AND kind = ? AND closed_at IS NULL';
  return (tx.one(sql, path, kind)?.id ?? null) as string | null;
}
