import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TaskLife } from '../../test/support/task/task-life.ts';
import { suiteScratch } from '../../test/support/test-ledger.ts';
import { isLogBroken } from './is-log-broken.ts';

const scratch = suiteScratch();
const FRAME_BYTES = 24 + 8_192;
const HEADER_BYTES = 32;

const life = await TaskLife.open();
for (let at = 0; at < 5; at++) await life.create();
const logFile = join(scratch, 'log');
copyFileSync(`${life.at.file}-wal`, logFile);
const log = readFileSync(logFile);

/** The places of the frames that end a commit. */
const commits = Array.from({ length: Math.floor((log.length - HEADER_BYTES) / FRAME_BYTES) }, (_, at) => at)
  .map((at) => HEADER_BYTES + at * FRAME_BYTES)
  .filter((at) => log.readUInt32BE(at + 4) > 0);

function isBroken(change: (bytes: Buffer) => Buffer): boolean {
  writeFileSync(logFile, change(Buffer.from(log)));
  return isLogBroken(logFile);
}

function flip(at: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
}

test('a log as SQLite wrote it is whole', () => {
  assert.equal(
    isBroken((bytes) => bytes),
    false,
  );
  assert.ok(commits.length >= 5);
});

test('a log that ends anywhere is the log of a process that died there', () => {
  for (const cut of [0, 5, 32, 33, HEADER_BYTES + FRAME_BYTES, log.length - 1, log.length - FRAME_BYTES]) {
    assert.equal(
      isBroken((bytes) => bytes.subarray(0, cut)),
      false,
      `${cut}`,
    );
  }
});

test('a bad byte in the last commit is a torn end', () => {
  assert.equal(isBroken(flip((commits.at(-2) ?? 0) + FRAME_BYTES + 100)), false);
  assert.equal(isBroken(flip((commits.at(-1) ?? 0) + 4_000)), false);
});

test('a bad byte before the last commit is damage', () => {
  for (const commit of commits.slice(0, -1)) {
    assert.equal(isBroken(flip(commit + 300)), true);
    assert.equal(isBroken(flip(commit + 17)), true);
  }
});

test('a header that was never written is none, a wrong one is damage', () => {
  assert.equal(
    isBroken((bytes) => bytes.fill(0)),
    false,
  );
  for (const at of [0, 10, 20, 31]) assert.equal(isBroken(flip(at)), true, `${at}`);
});
