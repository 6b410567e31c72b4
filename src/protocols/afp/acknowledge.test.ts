import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acknowledgeFeedback } from './acknowledge.ts';

test('each decision is acknowledged in its order, also one that comes twice or names an unknown finding', () => {
  const ids = ['known-finding-02', 'never-given-03', 'known-finding-01', 'known-finding-02'];
  const ack = acknowledgeFeedback(
    { items: ids.map((id) => ({ id, status: 'accepted' as const })) },
    new Set(['known-finding-01', 'known-finding-02']),
  );
  assert.deepEqual(ack, {
    items: [
      { id: 'known-finding-02', processing_status: 'acknowledged' },
      { id: 'never-given-03', processing_status: 'unknown_id' },
      { id: 'known-finding-01', processing_status: 'acknowledged' },
      { id: 'known-finding-02', processing_status: 'acknowledged' },
    ],
  });
});

test('no decision needs no acknowledgement', () => {
  assert.deepEqual(acknowledgeFeedback({ items: [] }, new Set(['known-finding-01'])), { items: [] });
});
