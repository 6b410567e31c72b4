import type { Run, RunResult, RunStatus } from '../domain/run.ts';
import type { TaskName } from '../domain/task.ts';
import type { Tuple } from './tx.ts';

/** In the order that `toRun` reads them. */
export const RUN_COLUMNS = `id, task_id, fence, agent, status, started_at, ended_at, end_reason, boot_id, lease_expires_mono,
  lease_expires_at, beat_expires_mono, beat_expires_at, last_beat_at, beats, pid, pid_start, result`;

export function toRun(tuple: Tuple): Run {
  const bootId = tuple[8] as string;
  const pid = tuple[15] as number | null;
  const result = tuple[17] as string | null;
  return {
    id: tuple[0] as string,
    taskId: tuple[1] as TaskName,
    fence: tuple[2] as number,
    agent: tuple[3] as string,
    status: tuple[4] as RunStatus,
    startedAt: tuple[5] as number,
    endedAt: tuple[6] as number | null,
    endReason: tuple[7] as string | null,
    leaseExpires: { bootId, monotonicMs: tuple[9] as number },
    leaseExpiresAt: tuple[10] as number,
    heartbeatExpires: { bootId, monotonicMs: tuple[11] as number },
    heartbeatExpiresAt: tuple[12] as number,
    lastBeatAt: tuple[13] as number,
    beats: tuple[14] as number,
    process: pid === null ? null : { pid, startTicks: tuple[16] as number },
    result: result === null ? null : (JSON.parse(result) as RunResult),
  };
}
