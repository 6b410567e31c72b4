import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  keysText,
  NOTHING_SELECTED,
  pressKey,
  type WatchAction,
  type WatchedItem,
  type WatchState,
} from './watch-keys.ts';

const item = (task: string, kind: WatchedItem['kind']): WatchedItem => ({
  task,
  kind,
  title: task,
  reference: `ref-${task}`,
});
const ITEMS = [item('r', 'running'), item('q', 'question'), item('v', 'review'), item('b', 'other')];

/** The state and the deeds after some keys. */
function pressed(
  keys: readonly string[],
  items = ITEMS,
): { readonly state: WatchState; readonly deeds: readonly WatchAction[] } {
  const deeds: WatchAction[] = [];
  let state = NOTHING_SELECTED;
  for (const key of keys) {
    const after = pressKey(state, key, items);
    state = after.state;
    if (after.deed) deeds.push(after.deed);
  }
  return { state, deeds };
}

test('the keys move between tasks and stay on the page', () => {
  for (const [keys, selected] of [
    [['j'], 'r'],
    [['k'], 'b'],
    [['j', 'j', 'k', 'k', 'k'], 'r'],
    [['\u001b[B', '\u001b[B'], 'q'],
    [['j', 'j', 'j', 'j', 'j', 'j'], 'b'],
  ] as const)
    assert.equal(pressed(keys).state.selected, selected, keys.join(' '));
  assert.equal(pressed(['j'], []).state.selected, null);
});

test('a question is answered by one key, an agent is stopped and work approved by two', () => {
  assert.deepEqual(pressed(['j', 'j', 'y']).deeds, [{ kind: 'answer', reference: 'ref-q', answer: 'yes' }]);
  assert.deepEqual(pressed(['j', 'j', 'n']).deeds, [{ kind: 'answer', reference: 'ref-q', answer: 'no' }]);
  assert.deepEqual(pressed(['j', 'x']).deeds, []);
  assert.deepEqual(pressed(['j', 'x', 'x']).deeds, [{ kind: 'stop', task: 'r' }]);
  assert.deepEqual(pressed(['j', 'x', 'j', 'k', 'x']).deeds, []);
  assert.deepEqual(pressed(['j', 'j', 'j', 'a', 'a']).deeds, [{ kind: 'approve', reference: 'ref-v' }]);
});

test('a key that does not fit does nothing, and neither does one without a selection', () => {
  for (const keys of [['a', 'a'], ['x', 'x'], ['y'], ['j', 'a', 'a'], ['j', 'y'], ['k', 'x', 'x'], ['?'], ['\u001b[Z']])
    assert.deepEqual(pressed(keys).deeds, [], keys.join(' '));
});

test('the last line names the keys that do something now', () => {
  assert.equal(keysText(NOTHING_SELECTED, []), 'q quits');
  assert.equal(keysText(NOTHING_SELECTED, ITEMS), 'j k move · q quits');
  assert.match(keysText(pressed(['j', 'j']).state, ITEMS), /Enter opens · y allows · n denies · x stops · q quits/);
  assert.match(keysText(pressed(['j', 'x']).state, ITEMS), /^x again to stop it/);
});
