import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GitState } from './git-state.ts';
import { planGitUndo } from './plan-git-undo.ts';

const MAIN = 'refs/heads/main';
const EMPTY: GitState = { head: `ref: ${MAIN}`, refs: { [MAIN]: 'a' }, stashLog: '', operation: {}, index: null };

function state(change: Partial<GitState>): GitState {
  return { ...EMPTY, ...change };
}

test('only refs that the run moved and nobody moved since go back', () => {
  const before = state({ refs: { [MAIN]: 'a', 'refs/tags/v1': 'a', 'refs/heads/mine': 'a' } });
  const after = state({ refs: { [MAIN]: 'b', 'refs/heads/new': 'b', 'refs/heads/mine': 'a' } });
  const present = state({ refs: { [MAIN]: 'c', 'refs/heads/new': 'b', 'refs/heads/mine': 'd' } });
  const { moves, movedSince } = planGitUndo({ before, after, present });
  assert.deepEqual(movedSince, [MAIN]);
  assert.deepEqual(moves, [
    { ref: 'refs/heads/new', from: 'b', to: null },
    { ref: 'refs/tags/v1', from: null, to: 'a' },
  ]);
});

test('an undo that was cut off is finished, and a finished one has nothing to do', () => {
  const after = state({ head: 'ref: refs/heads/x', refs: { [MAIN]: 'a', 'refs/heads/x': 'b' } });
  const present = state({ head: 'ref: refs/heads/x' });
  assert.deepEqual(planGitUndo({ before: EMPTY, after, present }).moves, [
    { ref: 'HEAD', from: 'ref: refs/heads/x', to: `ref: ${MAIN}` },
  ]);
  const done = planGitUndo({ before: EMPTY, after, present: EMPTY });
  assert.deepEqual([done.moves, done.movedSince, done.stashLog], [[], [], null]);
});

test('a stash goes back with its log, unless a person stashed since', () => {
  const before = state({ refs: { 'refs/stash': 'a' }, stashLog: 'one\n' });
  const after = state({ refs: { 'refs/stash': 'b' }, stashLog: 'one\ntwo\n' });
  const { moves, stashLog } = planGitUndo({ before, after, present: after });
  assert.deepEqual([moves, stashLog], [[{ ref: 'refs/stash', from: 'b', to: 'a' }], 'one\n']);
  const present = state({ refs: { 'refs/stash': 'c' }, stashLog: 'one\ntwo\nthree\n' });
  const theirs = planGitUndo({ before, after, present });
  assert.deepEqual([theirs.moves, theirs.stashLog, theirs.movedSince], [[], null, ['refs/stash']]);
});

test('a rebase of a person goes back as a whole, unless they have begun another; one of the run goes', () => {
  const begun = { 'rebase-merge/onto': 'o', 'rebase-merge/done': '1', 'rebase-merge/head-name': 'x', REBASE_HEAD: 'c' };
  const before = state({ operation: begun });
  const after = state({});
  assert.deepEqual(planGitUndo({ before, after, present: after }).operation, begun);
  const further = state({ operation: { ...begun, 'rebase-merge/done': '2', 'rebase-merge/amend': 'a' } });
  assert.deepEqual(planGitUndo({ before, after: further, present: further }).operation, {
    'rebase-merge/done': '1',
    'rebase-merge/amend': null,
  });
  const theirs = state({ operation: { 'rebase-merge/onto': 'p' } });
  assert.deepEqual(planGitUndo({ before, after, present: theirs }).operation, { REBASE_HEAD: 'c' });
  const gone = Object.fromEntries(Object.keys(begun).map((name) => [name, null]));
  assert.deepEqual(planGitUndo({ before: after, after: before, present: before }).operation, gone);
});
