import { join } from 'node:path';
import type { BatchAnswer, BatchLine, HeldTask, SendAnswer } from '../../src/api/contract.ts';
import { httpClient } from '../../src/api/http/http-client.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { TaskView } from '../../src/api/task/task-view.ts';
import { timed } from '../contest/call-concurrently.ts';
import type { Figure, Round } from '../contest/contestant.ts';
import { startDaemon } from './daemon.ts';
import { AGENT, extraOf, NEW_TASK, reportOf } from './lives-over-http.ts';

/** Lives that are under way at once, in one batch a step. */
const LIVES_PER_BATCH = 500;
/** Two at a time: while the node works on one, the caller reads and writes the other. */
const BATCHES_AT_ONCE = 2;

/** The same four steps a life as one by one, each with an answer that is on disk: create, claim, report, end. */
export async function measure({ lives, warmUpLives, folder }: Round): Promise<Figure> {
  const daemon = await startDaemon(join(folder, 'data'));
  try {
    const client = httpClient(daemon);
    await playAll(client, warmUpLives);
    const nodeBefore = daemon.cpuMicros();
    const { seconds, cpuMicros } = await timed(() => playAll(client, lives));
    const node = daemon.cpuMicros() - nodeBefore;
    return { livesPerSecond: lives / seconds, extra: extraOf(lives, seconds, { caller: cpuMicros, node }) };
  } finally {
    await daemon.stop();
  }
}

async function playAll(client: NodeClient, lives: number): Promise<void> {
  let left = lives;
  const play = async () => {
    while (left > 0) {
      const count = Math.min(left, LIVES_PER_BATCH);
      left -= count;
      await playBatch(client, count);
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, play));
}

async function playBatch(client: NodeClient, lives: number): Promise<void> {
  const made = await ask<TaskView>(client, Array(lives).fill({ call: 'createTask', request: NEW_TASK }));
  const tasks = made.map(({ id }) => id);
  const claims = tasks.map((task) => ({ call: 'claimTask', request: { task, agent: AGENT } }));
  const runs = (await ask<HeldTask>(client, claims)).map(({ run }) => run.id);
  const reports = tasks.map((task, at) => ({
    call: 'send',
    request: { text: JSON.stringify(reportOf(task)), run: runs[at] ?? '' },
  }));
  for (const { verdict, code } of await ask<SendAnswer>(client, reports)) {
    if (verdict !== 'accepted') throw new Error(`a report was ${verdict}: ${code}`);
  }
  const ends = tasks.map((task, at) => ({ call: 'endTask', request: { task, agent: AGENT, run: runs[at] ?? '' } }));
  for (const { task } of await ask<HeldTask>(client, ends)) {
    if (task.status !== 'done') throw new Error(`${task.id} ended ${task.status}`);
  }
}

async function ask<Answer>(client: NodeClient, lines: readonly BatchLine[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for await (const group of client.batch(lines)) answers.push(...group.map((each) => answerOf<Answer>(each)));
  return answers;
}

function answerOf<Answer>({ answer, error }: BatchAnswer): Answer {
  if (answer === undefined) throw new Error(`${error?.code}: ${error?.message}`);
  return answer as Answer;
}
