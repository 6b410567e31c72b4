import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { DESCRIPTORS_LOOK_MS, DESCRIPTORS_WAIT_MS_MAX } from '../domain/limits.ts';
import { systemTimer } from './timer.ts';

/** Two ends of each pipe, a third while the child puts it in its place, and what the start itself opens. */
const NEEDED_BY_PIPE = 3;
const NEEDED_BESIDE = 4;
const EXHAUSTED = ['EMFILE', 'ENFILE'];
/** With more than so many to go nothing is counted: to open a few dozen files takes as long as to start a program. */
const ROOM = 256;
let allowed: number | null = null;
let isTight = false;

/**
 * What keeps a program with so many pipes from being started, or null. To be asked before: a start that runs out of
 * descriptors halfway leaves the pipes that it has made open for good.
 */
export function lackOfDescriptors(pipes: number): Error | null {
  if (hasRoom()) return null;
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

/** The lowest that is free comes near the limit first. Once it has, a low one may be the last: then all are counted. */
function hasRoom(): boolean {
  allowed ??= allowedDescriptors();
  const lowest = lowestFree();
  const used = lowest === null || (isTight && lowest + ROOM < allowed) ? countOpen() : lowest;
  isTight = used + ROOM >= allowed;
  return !isTight;
}

function lowestFree(): number | null {
  try {
    const lowest = openSync('/dev/null', 'r');
    closeSync(lowest);
    return lowest;
  } catch {
    // There is none, or nothing can be told of it.
    return null;
  }
}

/** Endless where the system does not let itself be asked. */
function countOpen(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** None, as far as anybody knows, where the system does not tell: then each start is tried out. */
function allowedDescriptors(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
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

/** Of this machine; what others of it use is not taken off. */
export function machineMemoryBytes(): number {
  return totalmem();
}
