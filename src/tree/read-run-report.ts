import type { TaskName } from '../domain/task.ts';
import { decodeAof } from '../protocols/aof/decode.ts';
import type { RunResult } from '../protocols/aof/schema/run-result.ts';
import type { RunResultFound } from './tree-commands.ts';

/** The completion.report that a run_result.json stands for, or what is wrong with it. */
export function readRunReport(bytes: Buffer, taskId: TaskName): RunResultFound['report'] {
  const verdict = decodeAof(bytes.toString('utf8'), { kind: 'run_result' });
  if (verdict.verdict !== 'accepted') return { errors: verdict.verdict === 'malformed' ? verdict.errors : [] };
  if (verdict.kind !== 'run_result') return { errors: [{ path: '', message: 'the message is no run_result' }] };
  const result = verdict.message as RunResult;
  if (result.taskId !== taskId) return { errors: [{ path: '/taskId', message: `taskId: must be ${taskId}` }] };
  const { agentId, completedAt, outcome, summaryRef, deliverables, tests, blockers, notes } = result;
  return {
    protocol: 'aof',
    version: 1,
    type: 'completion.report',
    taskId,
    fromAgent: agentId,
    toAgent: 'dispatcher',
    sentAt: completedAt,
    payload: { outcome, summaryRef, deliverables: deliverables ?? [], tests, blockers: blockers ?? [], notes },
  };
}
