import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, grouped } from './counted.ts';

test('digits stand in groups of three', () => {
  const texts = [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890].map(grouped);
  assert.deepEqual(texts, ['0', '7', '999', '1,000', '12,345', '999,999', '1,000,000', '1,234,567,890']);
});

test('one is singular, anything else plural', () => {
  assert.deepEqual(
    [counted(1, 'file'), counted(0, 'file'), counted(1_204, 'file'), counted(2, 'entry', 'entries')],
    ['1 file', '0 files', '1,204 files', '2 entries'],
  );
});
