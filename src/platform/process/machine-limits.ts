import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { DESCRIPTORS_LOOK_MS, DESCRIPTORS_WAIT_MS_MAX } from '../../domain/process-limits.ts';
import { systemTimer } from '../timer.ts';

/** Both ends of each pipe, a third while the child duplicates its end, and those that the start itself opens. */
const NEEDED_BY_PIPE = 3;
const NEEDED_BESIDE = 4;
const EXHAUSTED = ['EMFILE', 'ENFILE'];
/** Above this margin nothing is counted: opening a few dozen files takes as long as starting a program. */
const ROOM = 256;
let allowed: number | null = null;
let isTight = false;

/**
 * The reason why a program with so many pipes cannot be started, or null. Call it before the start: one that runs out
 * of descriptors halfway leaks the pipes it has opened.
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

/** The lowest free descriptor is far below the limit until many are open; once it comes near, all are counted. */
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
    // No descriptor, or it cannot be examined.
    return null;
  }
}

/** Infinity on systems without a way to ask. */
function countOpen(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** 0 on systems without a way to ask: then each start is tried. */
function allowedDescriptors(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The same, after waiting for other programs to end: simultaneous starts may happen one after the other. */
export async function awaitDescriptors(pipes: number): Promise<Error | null> {
  for (let waitedMs = 0; ; waitedMs += DESCRIPTORS_LOOK_MS) {
    const lack = lackOfDescriptors(pipes);
    if (lack === null || waitedMs >= DESCRIPTORS_WAIT_MS_MAX) return lack;
    await systemTimer().pause(DESCRIPTORS_LOOK_MS);
  }
}

/** Whether an error, or its cause, is a lack of descriptors. */
export function isOutOfDescriptors(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    if (EXHAUSTED.includes((cause as NodeJS.ErrnoException).code ?? '')) return true;
  }
  return false;
}

/** All memory of this machine, in use or free. */
export function machineMemoryBytes(): number {
  return totalmem();
}
