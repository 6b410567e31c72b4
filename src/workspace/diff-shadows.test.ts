import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../test/support/test-repository.ts';
import { changedFiles, diffText } from './diff-shadows.ts';
import { takeShadow } from './shadow/take-shadow.ts';

async function changeOf(repository: TestRepository, change: () => void) {
  const order = { task: 'TASK-2026-02-09-001', label: '1/before', atMs: 0 };
  const first = await takeShadow(repository.place, order);
  change();
  const second = await takeShadow(repository.place, { ...order, label: '1/after', basis: first.commit });
  return { before: first.commit, after: second.commit };
}

test('files are told with their status, their lines and both their versions', async () => {
  const repository = new TestRepository();
  repository.write('gone', '1\n2\n');
  const shadows = await changeOf(repository, () => {
    repository.write('readme.md', 'one\n2\nthree\nfour\n');
    repository.write('new\n"file"', 'a\nb\n');
    repository.write('binary', Buffer.from([0, 1, 2, 255]));
    rmSync(join(repository.root, 'gone'));
  });
  const files = await changedFiles(repository.place, shadows);
  assert.deepEqual(
    files.map(({ path, status, added, removed }) => [path, status, added, removed]),
    [
      ['binary', 'added', null, null],
      ['gone', 'deleted', 0, 2],
      ['new\n"file"', 'added', 2, 0],
      ['readme.md', 'modified', 2, 1],
    ],
  );
  assert.deepEqual([files[0]?.before, files[0]?.after?.mode, files[1]?.after], [null, '100644', null]);
});

test('the text is a patch that git can apply', async () => {
  const repository = new TestRepository();
  repository.write('moved', 'a line\n'.repeat(20));
  const shadows = await changeOf(repository, () => {
    rmSync(join(repository.root, 'moved'));
    repository.write('ünicode "name"', 'a line\n'.repeat(20));
    repository.write('binary', Buffer.from([0, 1, 2, 255]));
  });
  const { text, isTruncated } = await diffText(repository.place, shadows);
  assert.match(text, /^rename from moved$/m);
  assert.equal(isTruncated, false);
  const other = new TestRepository();
  other.write('moved', 'a line\n'.repeat(20));
  other.write('../patch', text);
  other.git('apply', '../patch');
  assert.deepEqual([...Buffer.from(other.read('binary'), 'utf8')].slice(0, 3), [0, 1, 2]);
  assert.equal(other.read('ünicode "name"'), 'a line\n'.repeat(20));
});

test('between a shadow and itself there is nothing', async () => {
  const repository = new TestRepository();
  const { before } = await changeOf(repository, () => undefined);
  assert.deepEqual(await changedFiles(repository.place, { before, after: before }), []);
  assert.deepEqual(await diffText(repository.place, { before, after: before }), { text: '', isTruncated: false });
});

test('an answer that is given again is that of its own workspace and commits', async () => {
  const repository = new TestRepository();
  const shadows = await changeOf(repository, () => repository.write('new', 'a\n'));
  const first = await changedFiles(repository.place, shadows);
  const paths = async (of: Parameters<typeof changedFiles>[1]) =>
    (await changedFiles(repository.place, of)).map(({ path, status }) => [path, status]);
  first.length = 0;
  assert.deepEqual(await paths(shadows), [['new', 'added']]);
  assert.deepEqual(await paths({ before: shadows.after, after: shadows.before }), [['new', 'deleted']]);
  assert.deepEqual(await paths(shadows), [['new', 'added']]);
  const other = new TestRepository();
  await assert.rejects(changedFiles(other.place, shadows), 'another workspace does not have these commits');
});
