import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noStrace } from '../support/ledger/strace.ts';
import { drawPoints, enumeratePoints, killAtPoints } from '../support/ledger/syscall-kills.ts';
import { SEED } from '../support/seed.ts';
import { suiteScratch } from '../support/test-ledger.ts';

// Asked for before any test runs, so that it goes after the last of them and not after the first.
suiteScratch();

/** `npm run faults` kills at every call. */
const DRAWN = 12;

test(`killed at ${DRAWN} calls that change the disk, nothing answered is lost`, { skip: noStrace }, async (context) => {
  const points = await enumeratePoints();
  const { kills, findings } = await killAtPoints(drawPoints(points, DRAWN));
  context.diagnostic(`seed ${SEED}: killed at ${kills} of ${points.length} calls`);
  assert.deepEqual(findings, []);
  assert.ok(kills >= DRAWN * 0.8, `only ${kills} of ${DRAWN} were got to`);
});
