import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseReviewers } from './choose-reviewers.ts';

const agents = [
  { name: 'emma', driver: 'codex', provider: 'CODEX' },
  { name: 'nick', driver: 'codex', provider: 'CODEX' },
  { name: 'magneto', driver: 'claude', provider: 'CLAUDE' },
  { name: 'tester', driver: 'process', provider: 'OTHER' },
  { name: 'checker', driver: 'process', provider: 'OTHER' },
] as const;
const choose = (by: readonly string[], authors: readonly string[], isSameVendorAllowed = false) =>
  chooseReviewers({ by, authors, agents, isSameVendorAllowed });

test('nobody reviews its own work, nor that of its vendor unless that is allowed', () => {
  assert.deepEqual(choose(['emma', 'nick', 'magneto'], ['emma']), ['magneto']);
  assert.deepEqual(choose(['emma', 'nick', 'magneto'], ['emma'], true), ['nick', 'magneto']);
  assert.deepEqual(choose(['magneto'], ['emma', 'magneto'], true), []);
});

test('programs are of a vendor each; an agent that is not ready does not review', () => {
  assert.deepEqual(choose(['tester', 'gone'], ['checker']), ['tester']);
});
