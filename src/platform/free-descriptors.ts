import { closeSync, openSync } from 'node:fs';
import { DESCRIPTORS_LOOK_MS, DESCRIPTORS_WAIT_MS_MAX } from '../domain/limits.ts';
import { systemTimer } from './timer.ts';

/** Two ends of each pipe, a third while the child puts it in its place, and what the start itself opens. */
const NEEDED_BY_PIPE = 3;
const NEEDED_BESIDE = 4;
const EXHAUSTED = ['EMFILE', 'ENFILE'];

/**
 * What keeps a program with so many pipes from being started, or null. To be asked before: a start that runs out of
 * descriptors halfway leaves the pipes that it has made open for good.
 */
export function lackOfDescriptors(pipes: number): Error | null {
  const opened: number[] = [];
  try {
    while (opened.length < pipes * NEEDED_BY_PIPE + NEEDED_BESIDE) opened.push(openSync('/dev/null', 'r'));
    return null;
  } catch (error) {
    return isOutOfDescriptors(error) ? (error as Error) : null;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** The same, after waiting a while for others to end: what is started at once may come one after the other. */
export async function awaitDescriptors(pipes: number): Promise<Error | null> {
  for (let waitedMs = 0; ; waitedMs += DESCRIPTORS_LOOK_MS) {
    const lack = lackOfDescriptors(pipes);
    if (lack === null || waitedMs >= DESCRIPTORS_WAIT_MS_MAX) return lack;
    await systemTimer().pause(DESCRIPTORS_LOOK_MS);
  }
}

/** Whether an error is, or comes of, having no descriptor left. */
export function isOutOfDescriptors(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    if (EXHAUSTED.includes((cause as NodeJS.ErrnoException).code ?? '')) return true;
  }
  return false;
}
