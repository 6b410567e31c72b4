import type { Run } from '../../domain/run.ts';
import type { NewRow } from '../pending-rows.ts';
import type { Tx } from '../tx.ts';

const RUN: NewRow = {
  table: 'runs',
  into: `INSERT INTO runs (id, task_id, fence, agent, status, started_at, ended_at, end_reason, boot_id,
    lease_expires_mono, lease_expires_at, beat_expires_mono, beat_expires_at, last_beat_at, beats, pid, pid_start,
    result) VALUES`,
  row: '(?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)',
};

export function insertRun(tx: Tx, run: Run): void {
  tx.insert(
    RUN,
    run.id,
    run.taskId,
    run.fence,
    run.agent,
    run.status,
    run.startedAt,
    run.leaseExpires.bootId,
    run.leaseExpires.monotonicMs,
    run.leaseExpiresAt,
    run.heartbeatExpires.monotonicMs,
    run.heartbeatExpiresAt,
    run.lastBeatAt,
    run.beats,
    run.process?.pid ?? null,
    run.process?.startTicks ?? null,
  );
  tx.rows.keepRun(run);
}
