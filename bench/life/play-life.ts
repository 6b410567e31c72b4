import { isRefusal, type Refusal } from '../../src/domain/refusal.ts';
import type { Task } from '../../src/domain/task/task.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { receiveMessage } from '../../src/operations/message/receive-message.ts';
import { endSession } from '../../src/operations/run/end-run.ts';
import { claimTask } from '../../src/operations/task/claim-task.ts';
import { createTask, type NewTask } from '../../src/operations/task/create-task.ts';
import { moveTask } from '../../src/operations/task/move-task.ts';
import { decodeAgentMessage } from '../../src/protocols/aof/decode-agent-message.ts';
import type { CompletionReport } from '../../src/protocols/aof/schema/messages.ts';

const AGENT = 'swe-backend';

const NEW_TASK: NewTask = {
  title: 'Add a limit to the upload',
  body: 'The upload takes files of any size. Refuse those above 10 MiB and say so.',
  priority: 'normal',
  agent: AGENT,
  role: null,
  team: null,
  tags: ['upload'],
  resource: null,
  parentId: null,
  dependsOn: [],
  metadata: { reviewRequired: false },
  createdBy: 'operator',
};

/** The steps of a life, each an answer that is on disk: create, ready, lease, complete, done. */
export const STEPS_PER_LIFE = 5;

export async function playLife(ledger: Ledger): Promise<void> {
  const { id: taskId } = await createOne(ledger);
  kept(await ledger.submit(moveTask, { taskId, to: 'ready', actor: 'operator', reason: null }));
  const { run } = kept(await ledger.submit(claimTask, { taskId, agent: AGENT, process: null }));
  const message = reportOf(taskId, run.startedAt);
  const outcome = kept(
    await ledger.submit(receiveMessage, { message: decodeAgentMessage(message), warnings: [], channelRun: run.id }),
  );
  if (outcome.verdict !== 'accepted') throw new Error(`the report was refused: ${outcome.code}`);
  const ended = kept(await ledger.submit(endSession, { taskId, agent: AGENT, runId: run.id }));
  if (ended.task.status !== 'done') throw new Error(`${taskId} ended ${ended.task.status}`);
}

export async function createOne(ledger: Ledger): Promise<Task> {
  return kept(await ledger.submit(createTask, NEW_TASK)).task;
}

function reportOf(taskId: string, atMs: number): CompletionReport {
  return {
    protocol: 'aof',
    version: 1,
    type: 'completion.report',
    taskId,
    fromAgent: AGENT,
    toAgent: 'dispatcher',
    sentAt: new Date(atMs).toISOString(),
    payload: {
      outcome: 'done',
      summaryRef: 'outputs/summary.md',
      deliverables: ['src/upload.ts', 'src/upload.test.ts'],
      tests: { total: 12, passed: 12, failed: 0 },
      blockers: [],
      notes: 'Refused with 413 above 10 MiB.',
    },
  };
}

function kept<Result>(answer: Result | Refusal): Result {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}
