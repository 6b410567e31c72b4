import type { Reader, Tx } from '../tx.ts';

/** One turn or event of an agent, as SAOP has it (D-S1). */
export interface AgentLog {
  readonly taskId: string;
  readonly runId: string | null;
  /** Null for an event. */
  readonly turnIndex: number | null;
  readonly eventId: string | null;
  readonly envelope: string;
}

/** The turn that has this index already; null where it is free. */
export function selectTurn(
  tx: Reader,
  { taskId, runId, turnIndex }: Omit<AgentLog, 'envelope' | 'eventId'>,
): string | null {
  const sql = 'SELECT envelope_json FROM agent_logs WHERE task_id = ? AND run_id IS ? AND turn_index = ?';
  return (tx.tuple(sql, taskId, runId, turnIndex)?.[0] ?? null) as string | null;
}

export function insertAgentLog(tx: Tx, log: AgentLog): void {
  const sql = `INSERT INTO agent_logs (task_id, run_id, turn_index, envelope_json, event_id, at) VALUES (?, ?, ?, ?, ?, ?)`;
  tx.write(sql, log.taskId, log.runId, log.turnIndex, log.envelope, log.eventId, tx.moment.now.wallMs);
}
