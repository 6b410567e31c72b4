import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerView } from '../../../src/api/federation/federation-contract.ts';
import { keyText, lagText, PEERS_ON_MAP_MAX, placePeers, rangeText, stateOf } from './peer-state.ts';

function peer(nodeId: string, more: Partial<PeerView> = {}): PeerView {
  return {
    ...{ nodeId, alive: true, life: 'alive', standing: 'accepted', seq: 4, cursor: 4, lag: 0, gaps: 0, missing: null },
    ...{ lost: [], trust: 'known', agents: [], agentsTotal: 0, room: 8, version: '1', heartbeatAt: null, seenAt: null },
    ...{ keyId: '0123456789abcdef', shownKeyId: null },
    ...more,
  } as PeerView;
}

test('what needs a person comes before what is silent, and what was removed before both', () => {
  const word = (more: Partial<PeerView>, isAsked = false) => {
    const { kind, word: said } = stateOf(peer('a', more), isAsked);
    return `${kind}: ${said}`;
  };
  assert.equal(word({}), 'checked: alive');
  assert.equal(word({ life: 'silent' }), 'stale: silent');
  assert.equal(word({ life: 'dead' }), 'failed: dead');
  assert.equal(word({ life: 'left' }), 'unchecked: left');
  assert.equal(word({ life: 'unseen' }), 'stale: not seen');
  assert.equal(word({ life: 'silent', standing: 'other-key' }), 'needs-you: another key');
  assert.equal(word({ standing: 'asks' }), 'waiting: not trusted');
  assert.equal(word({ standing: 'asks', life: 'silent' }), 'stale: silent');
  assert.equal(word({ standing: 'asks', life: 'dead' }), 'failed: dead');
  assert.equal(word({ standing: 'asks' }, true), 'needs-you: asks to be trusted');
  assert.equal(word({ life: 'silent', standing: 'removed' }, true), 'unchecked: removed');
});

test('few nodes stand on one side, more on both, by name', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => peer(`n${String(at).padStart(2, '0')}`));
  assert.deepEqual(
    [1, 4, 5, 20].map((count) => {
      const { left, right } = placePeers(names(count).toReversed(), '');
      return [left.length, right.length];
    }),
    [
      [0, 1],
      [0, 4],
      [3, 2],
      [10, 10],
    ],
  );
  assert.equal(placePeers(names(20), '').left[0]?.nodeId, 'n00');
});

test('of too many nodes those that need somebody are on the map, and words narrow them', () => {
  const many = Array.from({ length: 100 }, (_, at) => peer(`n${String(at).padStart(3, '0')}`));
  const late = [peer('z-silent', { life: 'silent' }), peer('z-asks', { standing: 'asks' })];
  const { left, right, found } = placePeers([...many, ...late], '');
  const shown = [...left, ...right].map(({ nodeId }) => nodeId);
  assert.deepEqual([shown.length, found, shown.slice(-2)], [PEERS_ON_MAP_MAX, 102, ['z-asks', 'z-silent']]);
  assert.equal(placePeers([...many, ...late], 'SILENT').found, 1);
  assert.equal(placePeers([...many, ...late], 'n09').found, 10);
});

test('the lag of both directions is told in words', () => {
  const back = (lag: number) => [{ source: 'self', reader: 'a', seq: 9, cursor: 9 - lag, lag }];
  assert.equal(lagText(peer('a'), []), 'in step');
  assert.equal(lagText(peer('a', { lag: 3 }), back(0)), '3 to read');
  assert.equal(lagText(peer('a', { lag: 3 }), back(1200)), '3 to read, it has 1,200 to read');
});

test('keys stand in groups of four, a range of one is one number', () => {
  assert.equal(keyText('0123456789abcdef'), '0123 4567 89ab cdef');
  assert.equal(keyText(''), '');
  assert.deepEqual([rangeText({ first: 3, last: 3 }), rangeText({ first: 3, last: 1200 })], ['3', '3–1,200']);
});
