import { createRequire } from 'node:module';
import { callConcurrently, figureOf } from '../contest/call-concurrently.ts';
import { CALLERS, type Figure, type Round } from '../contest/contestant.ts';

interface Job {
  readonly id: string;
}
interface Boss {
  start(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): void;
  createQueue(name: string): Promise<void>;
  send(name: string, data: object): Promise<string | null>;
  fetch(name: string, options: { batchSize: number }): Promise<readonly Job[]>;
  complete(name: string, ids: readonly string[]): Promise<unknown>;
}

const FETCHERS = 2;
const POOL_CONNECTIONS = 16;

/** A life: send, fetched, completed. Its own worker polls twice a second at most; fetching by hand, as it offers, is faster. */
export async function measure({ lives, warmUpLives, port, packages }: Round): Promise<Figure> {
  const { PgBoss } = createRequire(`${packages}/`)('pg-boss') as { PgBoss: new (options: object) => Boss };
  const options = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: POOL_CONNECTIONS };
  const boss = new PgBoss({ ...options, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  const name = `lives-${process.pid}`;
  await boss.createQueue(name);
  const work = async (isDone: () => boolean, count: (jobs: number) => void): Promise<void> => {
    while (!isDone()) {
      const jobs = await boss.fetch(name, { batchSize: CALLERS });
      if (jobs.length > 0)
        await boss.complete(
          name,
          jobs.map(({ id }) => id),
        );
      count(jobs.length);
    }
  };
  const play = async (count: number): Promise<void> => {
    let completed = 0;
    const add = (jobs: number) => {
      completed += jobs;
    };
    const workers = Array.from({ length: FETCHERS }, () => work(() => completed >= count, add));
    await callConcurrently(count, async (at) => {
      await boss.send(name, { title: `task ${at}`, body: 'what is to be done' });
    });
    await Promise.all(workers);
  };
  await play(warmUpLives);
  return figureOf(lives, () => play(lives));
}
