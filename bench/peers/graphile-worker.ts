import { createRequire } from 'node:module';
import { callConcurrently, figureOf } from '../contest/call-concurrently.ts';
import { CALLERS, type Figure, type Round } from '../contest/contestant.ts';

interface Rows {
  readonly rows: ReadonlyArray<{ readonly left: string }>;
}
interface Pool {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (client: Pick<Pool, 'on'>) => void): void;
  query(sql: string): Promise<Rows>;
}
interface Runner {
  addJob(task: string, payload: object): Promise<unknown>;
}
interface GraphileWorker {
  run(options: object): Promise<Runner>;
  Logger: new (factory: () => () => void) => object;
}

const POOL_CONNECTIONS = 16;
const LOCAL_QUEUE_JOBS = 500;

/** A life: addJob, taken by a worker, its row gone. */
export async function measure({ lives, warmUpLives, port, packages }: Round): Promise<Figure> {
  const require = createRequire(`${packages}/`);
  const { run, Logger } = require('graphile-worker') as GraphileWorker;
  const { Pool } = require('pg') as { Pool: new (options: object) => Pool };
  const pool = new Pool({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: POOL_CONNECTIONS });
  const fail = (error: Error) => {
    throw error;
  };
  pool.on('error', fail);
  pool.on('connect', (client) => client.on('error', fail));
  let taken = 0;
  const runner = await run({
    pgPool: pool,
    logger: new Logger(() => () => {}),
    preset: {
      worker: {
        concurrentJobs: CALLERS,
        pollInterval: 100,
        localQueue: { size: LOCAL_QUEUE_JOBS, refetchDelay: { durationMs: 0 } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    noHandleSignals: true,
    taskList: {
      task: async () => {
        taken++;
      },
    },
  });
  const play = async (count: number): Promise<void> => {
    taken = 0;
    await callConcurrently(count, async (at) => {
      await runner.addJob('task', { title: `task ${at}`, body: 'what is to be done' });
    });
    while (taken < count || (await jobsLeft(pool)) > 0) await new Promise(setImmediate);
  };
  await play(warmUpLives);
  return figureOf(lives, () => play(lives));
}

async function jobsLeft(pool: Pool): Promise<number> {
  const { rows } = await pool.query('SELECT count(*) AS left FROM graphile_worker._private_jobs');
  return Number(rows[0]?.left ?? 0);
}
