import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Now } from '../domain/now.ts';

/** Injected wherever code needs the time, so that a test can step, jump and drift it. */
export interface Clock {
  now(): Now;
}

export function systemClock(): Clock {
  const bootId = readBootId();
  return {
    now: () => ({ wallMs: Date.now(), monotonicMs: Number(process.hrtime.bigint() / 1_000_000n), bootId }),
  };
}

/** Midnight before an instant, where this machine is. */
export function startOfDay(wallMs: number): number {
  return new Date(wallMs).setHours(0, 0, 0, 0);
}

/** The boot id of Linux; on other systems the minute the machine started. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux.
    return `up-since-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}

/**
 * The time that this machine has slept since it started, in milliseconds. The uptime of the system counts sleep (CLOCK_BOOTTIME),
 * the monotonic clock of a process does not (CLOCK_MONOTONIC); setting the wall clock changes neither.
 */
export function asleepMs(): number {
  return uptime() * 1_000 - Number(process.hrtime.bigint() / 1_000_000n);
}
