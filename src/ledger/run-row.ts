import type { Run, RunResult, RunStatus } from '../domain/run.ts';
import type { TaskName } from '../domain/task.ts';
import type { Row } from './tx.ts';

export const RUN_COLUMNS = `id, task_id, fence, agent, status, started_at, ended_at, end_reason, boot_id, lease_expires_mono,
  lease_expires_at, beat_expires_mono, beat_expires_at, last_beat_at, beats, pid, pid_start, result`;

export function toRun(row: Row): Run {
  const bootId = row.boot_id as string;
  return {
    id: row.id as string,
    taskId: row.task_id as TaskName,
    fence: row.fence as number,
    agent: row.agent as string,
    status: row.status as RunStatus,
    startedAt: row.started_at as number,
    endedAt: row.ended_at as number | null,
    endReason: row.end_reason as string | null,
    leaseExpires: { bootId, monotonicMs: row.lease_expires_mono as number },
    leaseExpiresAt: row.lease_expires_at as number,
    heartbeatExpires: { bootId, monotonicMs: row.beat_expires_mono as number },
    heartbeatExpiresAt: row.beat_expires_at as number,
    lastBeatAt: row.last_beat_at as number,
    beats: row.beats as number,
    process: row.pid === null ? null : { pid: row.pid as number, startTicks: row.pid_start as number },
    result: row.result === null ? null : (JSON.parse(row.result as string) as RunResult),
  };
}
