import type { Run } from '../../domain/run.ts';
import type { Tx } from '../tx.ts';

const UPDATE_RUN_BEAT = `UPDATE runs SET boot_id = ?, lease_expires_mono = ?, lease_expires_at = ?, beat_expires_mono = ?,
  beat_expires_at = ?, last_beat_at = ?, beats = ?, result = ? WHERE id = ?`;

/** Of a run that gave a sign of life, with or without its result. */
export function updateRunBeat(tx: Tx, run: Run): void {
  tx.write(
    UPDATE_RUN_BEAT,
    run.leaseExpires.bootId,
    run.leaseExpires.monotonicMs,
    run.leaseExpiresAt,
    run.heartbeatExpires.monotonicMs,
    run.heartbeatExpiresAt,
    run.lastBeatAt,
    run.beats,
    run.result === null ? null : JSON.stringify(run.result),
    run.id,
  );
  tx.rows.keepRun(run);
}

const UPDATE_RUN_END = 'UPDATE runs SET status = ?, ended_at = ?, end_reason = ? WHERE id = ?';

export function updateRunEnd(tx: Tx, run: Run): void {
  tx.write(UPDATE_RUN_END, run.status, run.endedAt, run.endReason, run.id);
  tx.rows.keepRun(run);
}

const UPDATE_RUN_PROCESS = 'UPDATE runs SET pid = ?, pid_start = ? WHERE id = ?';

/** Of a run whose program Baton has started. */
export function updateRunProcess(tx: Tx, runId: string, process: NonNullable<Run['process']>): void {
  tx.write(UPDATE_RUN_PROCESS, process.pid, process.startTicks, runId);
  const known = tx.rows.run(runId);
  if (known) tx.rows.keepRun({ ...known, process });
}
