import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needDebianPackages, reason } from '../../../scripts/debian-packages.mjs';
import { suiteScratch } from '../test-ledger.ts';
import type { Watch } from './kill-lives.ts';

/** Every call that changes what is on the disk. */
export const DISK_CALLS = [
  'pwrite64',
  'write',
  'fdatasync',
  'fsync',
  'rename',
  'unlink',
  'ftruncate',
  'openat',
  'mkdir',
  'fallocate',
] as const;

/** The write of an answer by play-lives.ts, as strace shows it. */
export const ANSWER = / write\(1<[^>]*>, "\{\\"answer\\":/;

export type DiskCall = (typeof DISK_CALLS)[number];

/** A skip reason where there is no strace, or where it may not look into another process. */
export const noStrace: string | false = reason(needDebianPackages(['strace']));

/** Attaches strace to a process that waits, and returns once it looks. */
export async function attachStrace(pid: number, args: readonly string[]): Promise<Watch> {
  const strace = spawn('strace', ['-f', '-p', String(pid), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  const ended = new Promise<void>((resolve, reject) => strace.on('error', reject).on('close', () => resolve()));
  const attached = new Promise<boolean>((resolve) => {
    strace.stderr.setEncoding('utf8').on('data', (text) => {
      told += text;
      if (/attached/.test(told)) resolve(true);
    });
  });
  const isAttached = await Promise.race([attached, ended.then(() => false)]);
  if (!isAttached) throw new Error(`strace did not attach: ${told}`);
  return { ended };
}

/** The output of strace for each call, in order; with -y it contains the paths. */
export async function traceOf(
  run: (watch: (pid: number) => Promise<Watch>) => Promise<unknown>,
  more: readonly string[] = [],
): Promise<string[]> {
  const file = join(mkdtempSync(join(suiteScratch(), 'trace-')), 'log');
  await run((pid) => attachStrace(pid, ['-y', '-o', file, '-e', `trace=${DISK_CALLS.join(',')}`, ...more]));
  return readFileSync(file, 'utf8').split('\n');
}

/** How often each thread makes each call; strace counts for each thread by itself, so the busiest counts. */
export function countCalls(trace: readonly string[]): Map<DiskCall, number> {
  const counts = new Map<string, number>();
  for (const line of trace) {
    const [, thread, call] = /^(\d+)\s+(\w+)\(/.exec(line) ?? [];
    if (call) counts.set(`${thread} ${call}`, (counts.get(`${thread} ${call}`) ?? 0) + 1);
  }
  const busiest = (call: string) =>
    Math.max(0, ...[...counts].filter(([key]) => key.endsWith(` ${call}`)).map(([, n]) => n));
  return new Map(DISK_CALLS.map((call) => [call, busiest(call)]));
}
