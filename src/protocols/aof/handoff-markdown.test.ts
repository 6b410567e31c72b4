import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { writeHandoffMarkdown } from './handoff-markdown.ts';
import type { Handoff } from './schema/messages.ts';

const corpus = new URL('../../../test/corpus/aof/', import.meta.url);
const handoff = JSON.parse(readFileSync(new URL('accepted/handoff/handoff.json', corpus), 'utf8')) as Handoff;

test('handoff.md is what the document shows', () => {
  assert.equal(writeHandoffMarkdown(handoff), readFileSync(new URL('rendered/handoff.md', corpus), 'utf8'));
});

test('an empty or absent list reads None', () => {
  const { constraints: _, ...rest } = handoff;
  const text = writeHandoffMarkdown({ ...rest, acceptanceCriteria: [] });
  assert.match(text, /\n## Acceptance Criteria\n\n- None\n\n## Expected Outputs\n/);
  assert.match(text, /\n## Constraints\n\n- None\n$/);
});

test('an item stays one item', () => {
  const text = writeHandoffMarkdown({ ...handoff, constraints: ['one\n## two\r\n- three'] });
  assert.match(text, /\n- one ## two - three\n$/);
});
