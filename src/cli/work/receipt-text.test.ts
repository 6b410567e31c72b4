import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleFor } from '../output/style.ts';
import { receiptText, staleText, type VerifiedReceipt } from './receipt-text.ts';

const PLAIN = styleFor(0, false);
const RECEIPT: Extract<VerifiedReceipt, { verdict: 'stale' | 'valid' | 'unknown_key' }> = {
  file: 'receipt.json',
  verdict: 'stale',
  keyId: 'k',
  signer: 'this-node',
  signerName: null,
  isSignerFolder: false,
  isSignerNode: false,
  task: 'TASK-1',
  run: 'run_1',
  agent: 'emma',
  endedAt: '2026-02-09T21:00:00.000Z',
  signal: 'SUCCESS',
  isChecked: true,
  isSandboxed: true,
  checks: { passed: 1, failed: 0, couldNotRun: 0 },
  files: 2,
  filesLeftOut: 3,
  staleFiles: [],
  workspace: '/w',
  claimed: null,
};

test('files that a receipt lacks are told', () => {
  const text = receiptText(RECEIPT, PLAIN);
  assert.match(text, /files {4}2, as they were checked; 3 more are not in the receipt and cannot be compared/);
});

test('of many files that changed since, the first are named', () => {
  const stale = Array.from({ length: 8 }, (_, at) => `f${at}`);
  assert.equal(staleText(stale, PLAIN), ' (stale: f0, f1, f2, f3, f4 and 3 more changed since)');
  assert.equal(staleText([], PLAIN), '');
});
