import { CALLERS } from './contestant.ts';

/** Each caller takes the next number when its last one was answered. */
export async function callConcurrently(count: number, call: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: Math.min(CALLERS, count) }, caller));
}

/** Seconds, by the monotonic clock. */
export async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
