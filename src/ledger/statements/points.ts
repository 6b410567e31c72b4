import type { TaskName } from '../../domain/task/task.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { RewindMark } from '../../domain/trace/trace.ts';
import type { Point, PointKind } from '../../domain/work/point.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

const COLUMNS = `task_id, number, seq, kind, status, round, run_id, turn_index, label, commit_hash, git_hash, added, changed,
  removed, rewound_to, at`;
const INSERT = `INSERT INTO points (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function insertPoint(tx: Tx, point: Point): void {
  const { added, changed, removed } = point.files;
  tx.write(
    INSERT,
    point.taskId,
    point.number,
    point.seq,
    point.kind,
    point.status,
    point.round,
    point.runId,
    point.turnIndex,
    point.label,
    point.commit,
    point.gitHash,
    added,
    changed,
    removed,
    point.rewoundTo,
    point.at,
  );
}

function toPoint(tuple: Tuple): Point {
  const [taskId, number, seq, kind, status, round, runId, turnIndex, label, commit, gitHash, ...rest] = tuple;
  const [added, changed, removed, rewoundTo, at] = rest;
  return {
    taskId: taskId as TaskName,
    number: number as number,
    seq: seq as number,
    kind: kind as PointKind,
    status: status as TaskStatus,
    round: round as number,
    runId: runId as string | null,
    turnIndex: turnIndex as number | null,
    label: label as string,
    commit: commit as string,
    gitHash: gitHash as string,
    files: { added: added as number, changed: changed as number, removed: removed as number },
    rewoundTo: rewoundTo as number | null,
    at: at as number,
  };
}

const SELECT = `SELECT ${COLUMNS} FROM points WHERE task_id = ?`;

/** The points of a task, oldest first. */
export function selectPoints(tx: Reader, taskId: string): Point[] {
  return tx.tuples(`${SELECT} ORDER BY number`, taskId).map(toPoint);
}

export function selectPoint(tx: Reader, taskId: string, number: number): Point | null {
  const tuple = tx.tuple(`${SELECT} AND number = ?`, taskId, number);
  return tuple ? toPoint(tuple) : null;
}

export function selectLastPoint(tx: Reader, taskId: string): Point | null {
  const tuple = tx.tuple(`${SELECT} ORDER BY number DESC LIMIT 1`, taskId);
  return tuple ? toPoint(tuple) : null;
}

const SELECT_REWINDS = `SELECT points.seq, target.seq FROM points JOIN points AS target
  ON target.task_id = points.task_id AND target.number = points.rewound_to
  WHERE points.task_id = ? AND points.rewound_to IS NOT NULL ORDER BY points.number`;

/** The rewinds of a task, oldest first. */
export function selectRewinds(tx: Reader, taskId: string): RewindMark[] {
  return tx.tuples(SELECT_REWINDS, taskId).map(([seq, toSeq]) => ({ seq: seq as number, toSeq: toSeq as number }));
}
