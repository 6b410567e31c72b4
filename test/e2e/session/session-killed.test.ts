import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killSession } from '../../support/session/kill-sessions.ts';
import { noBubblewrap } from '../../support/test-process.ts';

/** A few of those that `npm run faults` tries. */
const POINTS = [
  'session.submitted.found:1',
  'session.submitted.kept:1',
  'session.reported.found:1',
  'session.reported.kept:1',
  'found.reported:3',
];

for (const at of POINTS) {
  test(`a node killed at ${at}: its session ends as it should, once`, { skip: noBubblewrap }, async () => {
    const { isKilled } = await killSession('session-killed', { at });
    assert.ok(isKilled, 'it never got there');
  });
}
