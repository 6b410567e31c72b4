import { join } from 'node:path';
import { callConcurrently, timed } from '../contest/call-concurrently.ts';
import { CALLERS, type Figure, type Round } from '../contest/contestant.ts';
import { type Caller, makeCaller } from './caller.ts';
import { startDaemon } from './daemon.ts';

export const AGENT = 'swe-backend';

export const NEW_TASK = {
  title: 'Add a limit to the upload',
  body: 'The upload takes files of any size. Refuse those above 10 MiB and say so.',
  agent: AGENT,
  tags: ['upload'],
  reviewRequired: false,
};

interface MadeTasks {
  readonly id: string;
}

/** Every step of a life is a request and an answer that is on disk: create, lease (by way of ready), complete, done. */
export async function measure({ lives, warmUpLives, folder }: Round): Promise<Figure> {
  const daemon = await startDaemon(join(folder, 'data'));
  const caller = makeCaller(daemon, CALLERS);
  try {
    await callConcurrently(warmUpLives, () => live(caller));
    const nodeBefore = daemon.cpuMicros();
    const { seconds, cpuMicros } = await timed(() => callConcurrently(lives, () => live(caller)));
    const nodeMicros = daemon.cpuMicros() - nodeBefore;
    return { livesPerSecond: lives / seconds, extra: extraOf(lives, seconds, { caller: cpuMicros, node: nodeMicros }) };
  } finally {
    caller.close();
    await daemon.stop();
  }
}

export function extraOf(lives: number, seconds: number, { caller, node }: { caller: number; node: number }) {
  return {
    cpuMicrosPerLife: caller / lives,
    nodeMicrosPerLife: node / lives,
    callerCores: caller / 1e6 / seconds,
    nodeCores: node / 1e6 / seconds,
  };
}

async function live(caller: Caller): Promise<void> {
  const { id } = (await caller.post('/v1/tasks', NEW_TASK)) as unknown as MadeTasks;
  const { run } = (await caller.post(`/v1/tasks/${id}/claim`, { agent: AGENT })) as unknown as { run: MadeTasks };
  const headers = { 'baton-run': run.id };
  await caller.post('/v1/messages', reportOf(id), headers);
  const ended = (await caller.post(`/v1/tasks/${id}/end`, { agent: AGENT }, headers)) as unknown as {
    task: { status: string };
  };
  if (ended.task.status !== 'done') throw new Error(`${id} ended ${ended.task.status}`);
}

export function reportOf(taskId: string): object {
  const payload = {
    outcome: 'done',
    summaryRef: 'outputs/summary.md',
    deliverables: ['src/upload.ts', 'src/upload.test.ts'],
    tests: { total: 12, passed: 12, failed: 0 },
    blockers: [],
    notes: 'Refused with 413 above 10 MiB.',
  };
  const route = { taskId, fromAgent: AGENT, toAgent: 'dispatcher', sentAt: '2026-02-09T21:00:00.000Z' };
  return { protocol: 'aof', version: 1, type: 'completion.report', ...route, payload };
}
