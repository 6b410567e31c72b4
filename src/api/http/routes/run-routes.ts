import type { FastifyInstance } from 'fastify';
import { RUNS_PER_PAGE_MAX } from '../../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../../domain/refusal.ts';
import type { Run } from '../../../domain/run.ts';
import { selectRunPage } from '../../../ledger/statements/runs.ts';
import { findTask } from '../../../operations/find-task.ts';
import { viewRun } from '../../views.ts';
import type { Door } from '../door.ts';
import { readFields } from '../read-request.ts';
import { RUNS_QUERY } from '../request-kinds.ts';
import { sendAnswer } from '../send-answer.ts';
import type { EventSource } from '../sse/event-source.ts';

/** Runs, and the sessions they are: for AOF a session is one run of one agent. */
export function addRunRoutes(app: FastifyInstance, { ledger }: Door): void {
  app.get('/v1/runs', async (request, reply) => {
    const page = readPage(ledger, request.query);
    if (isRefusal(page)) return sendAnswer(reply, page);
    return sendAnswer(reply, { runs: page.runs.map(viewRunOfTask), next: page.next });
  });
  app.get('/v1/sessions', async (request, reply) => {
    const page = readPage(ledger, request.query);
    if (isRefusal(page)) return sendAnswer(reply, page);
    return sendAnswer(reply, { sessions: page.runs.map(viewSession), next: page.next });
  });
}

interface RunPage {
  readonly runs: readonly Run[];
  /** The id to go on after; null at the end. */
  readonly next: string | null;
}

function readPage({ read }: EventSource, asked: unknown): RunPage | Refusal {
  const query = readFields(asked, RUNS_QUERY);
  if (isRefusal(query)) return query;
  const task = query.task === undefined ? null : findTask(read, query.task);
  if (isRefusal(task)) return task;
  const limit = Math.min(Math.max(1, Number(query.limit ?? RUNS_PER_PAGE_MAX)), RUNS_PER_PAGE_MAX);
  const filter = { taskId: task?.id ?? null, liveOnly: query.live === 'true' };
  const runs = selectRunPage(read, filter, { after: query.after ?? '', limit });
  return { runs, next: runs.length === limit ? (runs.at(-1)?.id ?? null) : null };
}

function viewRunOfTask(run: Run) {
  return { ...viewRun(run), taskId: run.taskId };
}

function viewSession(run: Run) {
  const { id, agent, startedAt, endedAt, lastBeatAt } = viewRun(run);
  const status = run.status === 'running' ? 'live' : 'ended';
  return { id, protocol: 'aof', agent, taskId: run.taskId, status, startedAt, lastBeatAt, endedAt };
}
