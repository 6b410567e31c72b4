import { createRequire } from 'node:module';
import { callConcurrently, figureOf } from '../contest/call-concurrently.ts';
import { CALLERS, type Figure, type Round } from '../contest/contestant.ts';

interface Connection {
  disconnect(): void;
}
interface Queue {
  add(name: string, data: object, options: object): Promise<unknown>;
}
interface Worker {
  on(event: 'completed', listener: () => void): void;
  waitUntilReady(): Promise<unknown>;
}
interface Bullmq {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (name: string, process: () => Promise<void>, options: object) => Worker;
}

/** A life: add, taken by a worker, completed. Each is one script on the server; the client pipelines what is asked at once. */
export async function measure({ lives, warmUpLives, port, packages }: Round): Promise<Figure> {
  const require = createRequire(`${packages}/`);
  const { Queue, Worker } = require('bullmq') as Bullmq;
  const { Redis } = require('ioredis') as { Redis: new (options: object) => Connection };
  const connect = (options: object) => new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null, ...options });
  const name = `lives-${process.pid}`;
  const queue = new Queue(name, { connection: connect({ enableAutoPipelining: true }) });
  const workerOptions = { connection: connect({ enableAutoPipelining: true }), concurrency: CALLERS };
  const worker = new Worker(name, async () => {}, workerOptions);
  let completed = 0;
  let wanted = 0;
  let reached = (): void => {};
  worker.on('completed', () => {
    if (++completed === wanted) reached();
  });
  await worker.waitUntilReady();
  const play = async (count: number): Promise<void> => {
    completed = 0;
    wanted = count;
    const allCompleted = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await callConcurrently(count, async (at) => {
      await queue.add('task', { title: `task ${at}`, body: 'what is to be done' }, { removeOnComplete: true });
    });
    await allCompleted;
  };
  await play(warmUpLives);
  return figureOf(lives, () => play(lives));
}
