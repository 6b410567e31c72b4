import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DISK_CALLS, noStrace } from '../support/ledger/strace.ts';
import { enumeratePoints, killAtPoints, type SyscallPoint } from '../support/ledger/syscall-kills.ts';
import { suiteScratch } from '../support/test-ledger.ts';

suiteScratch();

const PARTS = 6;
let points: SyscallPoint[] = [];

before(async () => {
  if (!noStrace) points = await enumeratePoints();
});

test('a play has at least 500 calls that change the disk', { skip: noStrace }, (context) => {
  const counted = DISK_CALLS.map((call) => `${points.filter((point) => point.call === call).length} ${call}`);
  context.diagnostic(counted.join(', '));
  assert.ok(points.length >= 500, `${points.length}`);
});

for (let part = 0; part < PARTS; part++) {
  test(`killed at every call that changes the disk, part ${part + 1} of ${PARTS}`, {
    skip: noStrace,
  }, async (context) => {
    const own = points.filter((_, at) => at % PARTS === part);
    const { kills, findings } = await killAtPoints(own);
    context.diagnostic(`killed ${kills} of ${own.length}`);
    assert.deepEqual(findings, []);
    assert.ok(kills >= own.length * 0.8, `only ${kills} of ${own.length} were got to`);
  });
}
