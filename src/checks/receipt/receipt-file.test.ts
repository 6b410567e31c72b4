import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { receiptFile, writeReceipt } from './receipt-file.ts';

test('a receipt lies with its run, for its owner only, and the next one takes its place whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-receipt-'));
  try {
    const file = await writeReceipt(folder, 'TASK-2026-02-09-057', '{"a":1}');
    assert.equal(file, join(folder, 'runs/TASK-2026-02-09-057/receipt.json'));
    assert.equal(file, receiptFile(folder, 'TASK-2026-02-09-057'));
    await writeReceipt(folder, 'TASK-2026-02-09-057', '{}');
    assert.equal(readFileSync(file, 'utf8'), '{}');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(file)), ['receipt.json']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
