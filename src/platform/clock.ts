import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Now } from '../domain/now.ts';

/** Handed down to whoever needs the time, so that a test can step, jump and drift it. */
export interface Clock {
  now(): Now;
}

export function systemClock(): Clock {
  const bootId = readBootId();
  return {
    now: () => ({ wallMs: Date.now(), monotonicMs: Number(process.hrtime.bigint() / 1_000_000n), bootId }),
  };
}

/** Linux names each boot; elsewhere the minute the machine came up stands in for it. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux.
    return `up-since-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}
