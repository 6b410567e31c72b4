import type { Reader, Tx } from '../tx.ts';

/** One SAOP turn or event of an agent, verbatim (saop:columns). */
export interface AgentLog {
  readonly taskId: string;
  readonly runId: string | null;
  /** Null for an event. */
  readonly turnIndex: number | null;
  /** Null for a turn. */
  readonly eventId: string | null;
  readonly envelope: string;
}

const SELECT_TURN = 'SELECT envelope_json FROM agent_logs WHERE task_id = ? AND run_id IS ? AND turn_index = ?';
const SELECT_EVENT = `SELECT envelope_json FROM agent_logs
  WHERE task_id = ? AND ifnull(run_id, '') = ? AND event_id = ?`;

/** The envelope that the run has recorded under this turn index or event id; null if there is none. */
export function selectRecorded(tx: Reader, { taskId, runId, turnIndex, eventId }: AgentLog): string | null {
  const tuple =
    turnIndex === null
      ? tx.tuple(SELECT_EVENT, taskId, runId ?? '', eventId)
      : tx.tuple(SELECT_TURN, taskId, runId, turnIndex);
  return (tuple?.[0] ?? null) as string | null;
}

const INSERT = `INSERT INTO agent_logs (task_id, run_id, turn_index, envelope_json, event_id, at, seq)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** `seq` is the event that announces it. */
export function insertAgentLog(tx: Tx, log: AgentLog, seq: number): void {
  const { taskId, runId, turnIndex, envelope, eventId } = log;
  tx.write(INSERT, taskId, runId, turnIndex, envelope, eventId, tx.moment.now.wallMs, seq);
}
