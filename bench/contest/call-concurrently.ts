import { CALLERS, type Figure } from './contestant.ts';

/** Each caller takes the next number when its last one was answered. */
export async function callConcurrently(count: number, call: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: Math.min(CALLERS, count) }, caller));
}

export interface Timing {
  readonly seconds: number;
  /** The CPU time of this process alone, without that of a server beside it. */
  readonly cpuMicros: number;
}

export async function timed(work: () => Promise<void>): Promise<Timing> {
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { seconds: (performance.now() - start) / 1000, cpuMicros: user + system };
}

export async function figureOf(lives: number, play: () => Promise<void>): Promise<Figure> {
  const { seconds, cpuMicros } = await timed(play);
  return { livesPerSecond: lives / seconds, extra: { cpuMicrosPerLife: cpuMicros / lives } };
}
