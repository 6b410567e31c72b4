import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { decisionsForm, withoutDecisions } from './fix-words.ts';

test('the account of an agent is shown without the block of its decisions, and with every other block', () => {
  const block = '```json\n{\n  "applied_feedback": { "items": [] }\n}\n```';
  assert.equal(withoutDecisions(`I added the test.\n\n${block}\n`), 'I added the test.');
  assert.equal(withoutDecisions(`${block}\n\nDone.`), 'Done.');
  const other = 'See:\n\n```json\n{ "a": 1 }\n```';
  assert.equal(withoutDecisions(`${other}\n\n${block}`), other);
  assert.equal(withoutDecisions('Nothing to say.'), 'Nothing to say.');
  const quoting = block.replace('[]', '[{ "id": "a-finding", "explanation": "I renamed `add`." }]');
  assert.equal(withoutDecisions(`Done.\n\n${quoting}`), 'Done.');
  const open = '```json\n{ "applied_feedback": ';
  assert.equal(withoutDecisions(open), open.trim(), 'a block without an end is words');
});

test('an account of a megabyte is read in a moment, whatever it repeats', () => {
  const hostile = ['\n'.repeat(1_000_000), '```json\n'.repeat(120_000), '```json\n"applied_feedback"'.repeat(40_000)];
  assert.ok(cpuMsOf(() => hostile.map(withoutDecisions)) < 2_000);
});

test('the form names each point by its id, in its order', () => {
  const [, form = ''] = /```json\n([\s\S]*?)\n```/.exec(decisionsForm(['return-7-01', 'return-7-02'])) ?? [];
  const { applied_feedback: applied } = JSON.parse(form) as { applied_feedback: { items: { id: string }[] } };
  assert.deepEqual(
    applied.items.map(({ id }) => id),
    ['return-7-01', 'return-7-02'],
  );
});
