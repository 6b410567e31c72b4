import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsOn, type Failed, failOnce } from '../support/ledger/disk-errors.ts';
import { KilledFolder } from '../support/ledger/kill-lives.ts';
import { ANSWER, noStrace, traceOf } from '../support/ledger/strace.ts';
import { suiteScratch } from '../support/test-ledger.ts';

// Asked for before any test runs, so that it goes after the last of them and not after the first.
suiteScratch();

/** The first, the last, and what lies evenly between. */
function spread(numbers: readonly number[], count: number): number[] {
  const step = Math.max(1, (numbers.length - 1) / (count - 1));
  return [...new Set(Array.from({ length: count }, (_, at) => numbers[Math.round(at * step)]))].filter(
    (each) => each !== undefined,
  );
}

test('an answer leaves only after the log that holds it is synced', { skip: noStrace }, async () => {
  const folder = new KilledFolder();
  const trace = await traceOf((watch) => folder.play({ seed: 1, watch }));
  let isUnsynced = false;
  let answers = 0;
  for (const line of trace) {
    if (/ pwrite64\(\d+<[^>]*-wal>/.test(line)) isUnsynced = true;
    if (/ (fsync|fdatasync)\(\d+<[^>]*-wal>/.test(line)) isUnsynced = false;
    if (!ANSWER.test(line)) continue;
    answers++;
    assert.equal(isUnsynced, false, line);
  }
  assert.ok(answers > 20, `${answers} answers`);
});

test('a log that cannot be synced stops the process, and nothing answered is lost', { skip: noStrace }, async () => {
  // The last one is the checkpoint of the close: nothing is promised any more.
  const syncs = (await callsOn('fsync', /-wal>/)).slice(0, -1);
  assert.ok(syncs.length > 5, `${syncs.length} syncs`);
  for (const when of spread(syncs, 5)) {
    const { hasStopped, status } = await failSync(when);
    assert.equal(hasStopped, true, `sync ${when} ended with ${status}`);
  }
});

/** Commits fall together anew in each play: where one had fewer than the counted one, an earlier sync is taken. */
async function failSync(when: number): Promise<Failed> {
  const failed = await failOnce('fsync', when, 'EIO');
  assert.deepEqual(failed.findings, [], `sync ${when}`);
  return when > 1 && !failed.hasStopped && isPastLastCommit(failed) ? await failSync(when - 1) : failed;
}

/** Whether no call failed, or only the sync that the close makes: nothing was promised after it. */
function isPastLastCommit({ trace }: Failed): boolean {
  const at = trace.findIndex((line) => line.includes('(INJECTED)'));
  return at === -1 || !trace.slice(at + 1).some((line) => /-wal>/.test(line) || ANSWER.test(line));
}

test('a log that cannot be written for want of room is answered and survived', { skip: noStrace }, async () => {
  const writes = (await callsOn('pwrite64', /-wal>/)).slice(10, -10);
  let refused = 0;
  for (const when of spread(writes, 5)) {
    const { findings, status, answers } = await failOnce('pwrite64', when, 'ENOSPC');
    if (answers.some((answer) => answer.answer === 'refused' && answer.code === 'storage_full')) refused++;
    assert.deepEqual([findings, status], [[], 0], `write ${when}`);
  }
  // The others hit a commit of the mirror, which tries again.
  assert.ok(refused >= 2, `${refused} were answered`);
});
