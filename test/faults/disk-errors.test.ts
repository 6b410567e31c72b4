import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsOn, failOnce } from '../support/ledger/disk-errors.ts';
import { type DiskCall, noStrace } from '../support/ledger/strace.ts';
import { suiteScratch } from '../support/test-ledger.ts';

suiteScratch();

const ALL = /./;
const STOPPED = [0, 1, 70];

const CASES: ReadonlyArray<readonly [DiskCall, 'EIO' | 'ENOSPC', number]> = [
  ['fsync', 'EIO', 1],
  ['pwrite64', 'EIO', 4],
  ['pwrite64', 'ENOSPC', 3],
  ['ftruncate', 'EIO', 1],
  ['rename', 'EIO', 1],
  ['mkdir', 'ENOSPC', 1],
  ['unlink', 'EIO', 1],
];

for (const [call, error, every] of CASES) {
  test(`${call} fails with ${error}: the process answers or stops, and nothing answered is lost`, {
    skip: noStrace,
  }, async (context) => {
    const calls = (await callsOn(call, ALL)).filter((_, at) => at % every === 0);
    context.diagnostic(`${calls.length} places`);
    for (const when of calls) {
      const { findings, status, signal, stderr } = await failOnce(call, when, error);
      assert.deepEqual([findings, signal], [[], null], `${call} ${when}`);
      assert.ok(STOPPED.includes(status ?? -1), `${call} ${when} ended with ${status}: ${stderr}`);
    }
  });
}
