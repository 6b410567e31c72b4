import type { Run, RunResult } from '../../domain/run.ts';
import type { Tx } from '../tx.ts';

const UPDATE_RUN_BEAT = `UPDATE runs SET boot_id = ?, lease_expires_mono = ?, lease_expires_at = ?, beat_expires_mono = ?,
  beat_expires_at = ?, last_beat_at = ?, beats = ? WHERE id = ?`;

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
    run.id,
  );
}

export function updateRunResult(tx: Tx, runId: string, result: RunResult): void {
  tx.write('UPDATE runs SET result = ? WHERE id = ?', JSON.stringify(result), runId);
}

export function updateRunEnd(tx: Tx, run: Pick<Run, 'id' | 'status' | 'endedAt' | 'endReason'>): void {
  tx.write(
    'UPDATE runs SET status = ?, ended_at = ?, end_reason = ? WHERE id = ?',
    run.status,
    run.endedAt,
    run.endReason,
    run.id,
  );
}
