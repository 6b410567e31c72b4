import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionsForm, withoutDecisions } from './fix-words.ts';

test('the account of an agent is shown without the block of its decisions, and with every other block', () => {
  const block = '```json\n{\n  "applied_feedback": { "items": [] }\n}\n```';
  assert.equal(withoutDecisions(`I added the test.\n\n${block}\n`), 'I added the test.');
  assert.equal(withoutDecisions(`${block}\n\nDone.`), 'Done.');
  const other = 'See:\n\n```json\n{ "a": 1 }\n```';
  assert.equal(withoutDecisions(`${other}\n\n${block}`), other);
  assert.equal(withoutDecisions('Nothing to say.'), 'Nothing to say.');
});

test('the form names each point by its id, in its order', () => {
  const [, form = ''] = /```json\n([\s\S]*?)\n```/.exec(decisionsForm(['return-7-01', 'return-7-02'])) ?? [];
  const { applied_feedback: applied } = JSON.parse(form) as { applied_feedback: { items: { id: string }[] } };
  assert.deepEqual(
    applied.items.map(({ id }) => id),
    ['return-7-01', 'return-7-02'],
  );
});
