import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf } from '../../dashboard/parts/event-sentence.ts';
import type { EventView } from '../../src/api/contract.ts';
import { EVENT_TYPES } from '../../src/domain/ledger-event.ts';

function view(type: string, payload: EventView['payload'] = {}): EventView {
  return { type, payload } as unknown as EventView;
}

test('every event of the ledger is told in words', () => {
  assert.deepEqual(
    EVENT_TYPES.filter((type) => sentenceOf(view(type)) === type),
    [],
  );
  assert.equal(sentenceOf(view('workspace.recorded', { turnIndex: 0 })), 'saved the files after turn 1');
});

test('an event of a newer node is named by its type', () => {
  assert.equal(sentenceOf(view('of.tomorrow')), 'of.tomorrow');
});
