import type { RewindMark } from '../../domain/trace.ts';
import type { Reader } from '../tx.ts';

const SELECT_REWINDS = `SELECT points.seq, target.seq FROM points JOIN points AS target
  ON target.task_id = points.task_id AND target.number = points.rewound_to
  WHERE points.task_id = ? AND points.rewound_to IS NOT NULL ORDER BY points.number`;

/** The rewinds of a task, oldest first. */
export function selectRewinds(tx: Reader, taskId: string): RewindMark[] {
  return tx.tuples(SELECT_REWINDS, taskId).map(([seq, toSeq]) => ({ seq: seq as number, toSeq: toSeq as number }));
}
