import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleFor } from '../output/style.ts';
import { diffPage, verifyPage, workText } from './work-text.ts';

const PLAIN = styleFor(0, false);
const NOTHING = {
  branch: null,
  commit: null,
  keptAs: null,
  keptIn: null,
  saved: [],
  git: [],
  ignored: [],
  asideFolder: null,
  savedIgnored: [],
  ofChecks: [],
  left: [],
  keptCommits: [],
  overlaps: [],
};
const WORK = { task: 'TASK-1', folder: '/w', files: ['a', 'b'], ...NOTHING };

test('what a verb did is told with its files, and where the rest is kept', () => {
  assert.equal(workText('undone', WORK, PLAIN), 'undone TASK-1: 2 files in /w\n  a\n  b');
  assert.equal(workText('undone', { ...WORK, files: [] }, PLAIN), 'TASK-1: nothing had to be changed');
  const kept = { ...WORK, files: ['a'], keptAs: 'c0ffee', keptIn: '/my data/o' };
  assert.equal(workText('discarded', kept, PLAIN), 'discarded TASK-1: 1 file in /w\n  a');
  const saved = workText('undone', { ...kept, saved: ['a', "it's"] }, PLAIN);
  assert.match(
    saved,
    /^your changes of 2 files are saved; to bring them back:\n {2}GIT_\w+='\/my data\/o' git -C \/w restore --source=c0ffee /m,
  );
  assert.ok(saved.endsWith("-- a 'it'\\''s'"));
  const branch = { ...WORK, files: ['a'], branch: 'money', commit: 'c0ffeec0ffeec0ffee' };
  assert.match(
    workText('applied', branch, PLAIN),
    /^applied TASK-1: 1 file on the new branch money \(c0ffeec0ffee\) in \/w\n/,
  );
  const git = ['the branch main', 'the index'];
  const keptCommits = [{ name: 'the branch main', commit: 'c0ffeec0ffeec0ffee' }];
  const left = ['the tag v1: it was moved since'];
  assert.equal(
    workText('undone', { ...WORK, files: [], git, keptCommits, left }, PLAIN),
    [
      'undone TASK-1: the branch main, the index in /w',
      'the branch main was at c0ffeec0ffeec0ffee: git branch NAME c0ffeec0ffee keeps it',
      'left as it is:',
      '  the tag v1: it was moved since',
    ].join('\n'),
  );
});

test('a difference begins with its files in columns; --stat ends there', () => {
  const files = [
    { path: 'a', status: 'added', added: 2, removed: 0 },
    { path: 'longer.png', status: 'modified', added: null, removed: null },
  ];
  const diff = {
    task: 'TASK-1',
    inside: '',
    from: 'x',
    to: 'y',
    files,
    git: [],
    ignored: [],
    text: 'diff --git a/a b/a\n+one\n',
  };
  const stat = 'a           added     +2 -0\nlonger.png  modified  binary';
  assert.equal(diffPage(diff, PLAIN, true), stat);
  assert.equal(diffPage(diff, PLAIN, false), `${stat}\n\ndiff --git a/a b/a\n+one`);
  assert.equal(diffPage({ ...diff, files: [] }, PLAIN, false), 'nothing changed');
  const git = ['git: the tag v1 is new (c0ffee)'];
  assert.equal(diffPage({ ...diff, git }, PLAIN, true), `${stat}\n${git[0]}`);
  assert.equal(diffPage({ ...diff, files: [], git }, PLAIN, false), git[0]);
});

test('checks that were run again are told one a line, a failed one with the last of what it printed', () => {
  const result = {
    id: 'npm test',
    kind: 'check',
    exitCode: 1,
    message: 'npm test: exit 1, expected 0',
    why: 'exit 1, expected 0',
  };
  const failed = { ...result, result: 'failed', tail: 'boom\n' };
  const passed = { ...result, result: 'passed', tail: 'fine' };
  assert.equal(
    verifyPage({ task: 'TASK-1', isPassed: false, oldTests: null, results: [passed, failed] }, PLAIN),
    'failed  TASK-1\n  ✓ npm test\n  ✗ npm test: exit 1, expected 0\n      boom',
  );
  assert.match(
    verifyPage({ task: 'TASK-1', isPassed: true, oldTests: null, results: [] }, PLAIN),
    /^unchecked {2}TASK-1/,
  );
  const oldTests = { files: ['test/a.js'], result: 'failed', message: 'exit 1' };
  assert.match(
    verifyPage({ task: 'TASK-1', isPassed: false, oldTests, results: [passed] }, PLAIN),
    /^failed {2}TASK-1\n {2}✓ npm test\n {2}✗ the run passed only with the tests it changed: test\/a\.js$/,
  );
});
