import type { TaskName } from '../../../domain/task/task.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** A task of another node that this one runs. */
export interface ReceivedTask {
  /** The task_create that brought it. */
  readonly eventId: string;
  readonly source: string;
  readonly corrId: string;
  /** Its name on the wire. */
  readonly uid: string;
  readonly requester: string;
  /** The agent here that does it, and the name that it was sent to. */
  readonly agent: string;
  readonly recipient: string;
  /** The fence under which this node had the agent; null for an agent that no other node can take over. */
  readonly fence: number | null;
  /** The own name of the task; null until its sender has confirmed that this node does it. */
  readonly taskId: TaskName | null;
  readonly capabilities: readonly string[];
  /** The task_accept. */
  readonly acceptId: string | null;
  readonly etaAt: number;
  readonly deadlineAt: number | null;
  /** `offered`: the sender has yet to confirm. `ended`: answered, or taken by others. */
  readonly state: 'offered' | 'accepted' | 'ended';
  readonly toldStatus: string | null;
  readonly toldProgress: number | null;
  /** The last event of the task that the sender was told of. */
  readonly toldSeq: number;
  readonly toldAt: number;
  readonly receivedAt: number;
}

const COLUMNS = `event_id, source, corr_id, uid, requester, agent, recipient, fence, task_id, capabilities, accept_id, eta_at, deadline_at,
  state, told_status, told_progress, told_seq, told_at, received_at`;

function toRow(tuple: Tuple): ReceivedTask {
  return {
    eventId: tuple[0] as string,
    source: tuple[1] as string,
    corrId: tuple[2] as string,
    uid: tuple[3] as string,
    requester: tuple[4] as string,
    agent: tuple[5] as string,
    recipient: tuple[6] as string,
    fence: tuple[7] as number | null,
    taskId: tuple[8] as TaskName | null,
    capabilities: JSON.parse(tuple[9] as string) as string[],
    acceptId: tuple[10] as string | null,
    etaAt: tuple[11] as number,
    deadlineAt: tuple[12] as number | null,
    state: tuple[13] as ReceivedTask['state'],
    toldStatus: tuple[14] as string | null,
    toldProgress: tuple[15] as number | null,
    toldSeq: tuple[16] as number,
    toldAt: tuple[17] as number,
    receivedAt: tuple[18] as number,
  };
}

export function upsertReceivedTask(tx: Tx, row: ReceivedTask): void {
  tx.write(
    `INSERT OR REPLACE INTO received_tasks (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.eventId,
    row.source,
    row.corrId,
    row.uid,
    row.requester,
    row.agent,
    row.recipient,
    row.fence,
    row.taskId,
    JSON.stringify(row.capabilities),
    row.acceptId,
    row.etaAt,
    row.deadlineAt,
    row.state,
    row.toldStatus,
    row.toldProgress,
    row.toldSeq,
    row.toldAt,
    row.receivedAt,
  );
  if (row.taskId !== null) tx.touched.add(row.taskId);
}

/** Those that are not ended, oldest first. */
export function selectOpenReceived(tx: Reader, limit: number): ReceivedTask[] {
  const sql = `SELECT ${COLUMNS} FROM received_tasks INDEXED BY received_tasks_open WHERE state <> 'ended' ORDER BY received_at LIMIT ?`;
  return tx.tuples(sql, limit).map(toRow);
}

export function countOpenReceived(tx: Reader): number {
  const sql = "SELECT count(*) FROM received_tasks INDEXED BY received_tasks_open WHERE state <> 'ended'";
  return Number(tx.tuple(sql)?.[0] ?? 0);
}

/** The task of another node by its correlation, the newest. */
export function selectReceivedBy(tx: Reader, source: string, corrId: string): ReceivedTask | null {
  const sql = `SELECT ${COLUMNS} FROM received_tasks WHERE source = ? AND corr_id = ? ORDER BY received_at DESC, event_id DESC LIMIT 1`;
  const tuple = tx.tuple(sql, source, corrId);
  return tuple ? toRow(tuple) : null;
}

export function selectReceived(tx: Reader, eventId: string): ReceivedTask | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM received_tasks WHERE event_id = ?`, eventId);
  return tuple ? toRow(tuple) : null;
}

/** Null for a task of this node itself. */
export function selectReceivedAs(tx: Reader, taskId: string): ReceivedTask | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM received_tasks WHERE task_id = ?`, taskId);
  return tuple ? toRow(tuple) : null;
}
