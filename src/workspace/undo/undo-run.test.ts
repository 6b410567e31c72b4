import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { takeShadow } from '../shadow/take-shadow.ts';
import { undoRun } from './undo-run.ts';

const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;

async function run(repository: TestRepository, work: () => void) {
  const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
  work();
  const after = await takeShadow(repository.place, { task, label: '1/after', atMs, basis: before.commit });
  const refs = { before: before.ref, after: after.ref };
  return { task, label: '1/undo', before: before.commit, after: after.commit, isKept: false, atMs, refs };
}

/** A tree with one file of every sort. */
function furnish(repository: TestRepository): void {
  repository.write('.gitignore', 'ignored\n*.log\n');
  repository.write('tracked', 'one\n');
  repository.commit('furnished');
  repository.write('tracked', 'not committed\r\n');
  repository.write('staged', 'staged');
  repository.git('add', 'staged');
  repository.write('deep/er/untracked "ü"\n', Buffer.from([0, 255, 13, 10]));
  repository.write('run.sh', '#!/bin/sh\n', 0o755);
  repository.write('plain', 'x', 0o640);
  repository.write('quiet', 'only its mode changes', 0o604);
  repository.write('secret', 'x', 0o600);
  symlinkSync('tracked', join(repository.root, 'link'));
  symlinkSync('deep', join(repository.root, 'folder-link'));
  repository.write('ignored', 'mine');
}

test('everything is as before a run, byte for byte, with modes and links, and ignored files stay', async () => {
  const repository = new TestRepository();
  furnish(repository);
  const theirs = repository.fingerprint();
  const order = await run(repository, () => {
    const { root } = repository;
    repository.write('tracked', 'by the agent');
    rmSync(join(root, 'deep'), { recursive: true });
    repository.write('deep', 'a file now');
    chmodSync(join(root, 'run.sh'), 0o644);
    chmodSync(join(root, 'plain'), 0o750);
    chmodSync(join(root, 'quiet'), 0o666);
    rmSync(join(root, 'secret'));
    rmSync(join(root, 'link'));
    repository.write('link/is/a/folder', 'now');
    rmSync(join(root, 'folder-link'));
    symlinkSync('/etc', join(root, 'folder-link'));
    rmSync(join(root, 'staged'));
    rmSync(join(root, 'readme.md'));
    repository.write('new/by/agent', '1');
    repository.write('ignored', 'changed by the agent');
    repository.write('agent.log', 'x');
  });
  const undone = await undoRun(repository.place, order);
  assert.ok(!isRefusal(undone), JSON.stringify(undone));
  repository.write('ignored', 'mine');
  assert.equal(repository.read('agent.log'), 'x');
  rmSync(join(repository.root, 'agent.log'));
  assert.deepEqual(repository.fingerprint(), theirs);
  assert.deepEqual(readdirSync(repository.root).includes('new'), false);
});

test('rights that a person changed since the run stay as they are', async () => {
  const repository = new TestRepository();
  repository.write('mine', 'x', 0o600);
  const order = await run(repository, () => chmodSync(join(repository.root, 'mine'), 0o644));
  chmodSync(join(repository.root, 'mine'), 0o640);
  assert.ok(!isRefusal(await undoRun(repository.place, order)));
  assert.match(repository.files().mine ?? '', /^640 /);
});

test('a folder in the place of a file is undone, also beside a file that is recorded by the index', async () => {
  const repository = new TestRepository();
  repository.write('p.txt', 'tracked\n');
  repository.commit('p');
  const theirs = repository.fingerprint();
  const request = await run(repository, () => {
    rmSync(join(repository.root, 'p.txt'));
    repository.write('p.txt/q', 'inside');
    repository.write('big', Buffer.alloc(9_000_000));
  });
  // As after the checks: the index is ahead of HEAD now.
  const checked = await takeShadow(repository.place, { task, label: '1/verified-1', atMs, basis: request.before });
  assert.equal(checked.tree, (await takeShadow(repository.place, { task, label: '1/again', atMs })).tree);
  const undone = await undoRun(repository.place, { ...request, after: checked.commit });
  assert.ok(!isRefusal(undone), JSON.stringify(undone));
  assert.deepEqual(repository.fingerprint(), theirs);
});

test('a second undo changes nothing', async () => {
  const repository = new TestRepository();
  const order = await run(repository, () => repository.write('readme.md', 'agent'));
  await undoRun(repository.place, order);
  const theirs = repository.fingerprint();
  const again = await undoRun(repository.place, order);
  assert.deepEqual([again.kind, repository.fingerprint()], ['undone', theirs]);
});

test('a file of the run that was changed since is named, and nothing is touched; kept, it is saved first', async () => {
  const repository = new TestRepository();
  const order = await run(repository, () => {
    repository.write('readme.md', 'agent');
    repository.write('new', 'agent');
  });
  repository.write('new', 'mine now');
  repository.write('other', 'mine too');
  const theirs = repository.fingerprint();
  const refused = await undoRun(repository.place, order);
  assert.ok(isRefusal(refused));
  assert.deepEqual([refused.code, refused.details], ['changed_since', ['new']]);
  assert.deepEqual(repository.fingerprint(), theirs);
  const undone = await undoRun(repository.place, { ...order, isKept: true });
  assert.ok(!isRefusal(undone));
  assert.deepEqual(undone.saved, ['new']);
  assert.deepEqual(Object.keys(repository.files()), ['other', 'readme.md']);
  assert.equal(repository.read('other'), 'mine too');
  assert.equal(repository.gitWithShadows('cat-file', 'blob', `${undone.present.commit}:new`), 'mine now');
});

test('files that only a person changed, made or removed since the run are left alone', async () => {
  for (const isKept of [false, true]) {
    const repository = new TestRepository();
    for (const name of ['edited', 'removed', 'moved']) repository.write(name, `${name}\n`);
    repository.commit('files');
    const order = await run(repository, () => {
      repository.write('readme.md', 'agent');
      repository.write('agent/new', 'agent');
    });
    repository.write('edited', 'mine\n');
    rmSync(join(repository.root, 'removed'));
    repository.git('mv', 'moved', 'agent/mine');
    const undone = await undoRun(repository.place, { ...order, isKept });
    assert.ok(!isRefusal(undone), JSON.stringify(undone));
    const paths = undone.files.map(({ path }) => path);
    assert.deepEqual([paths, undone.saved], [['agent/new', 'readme.md'], []]);
    assert.deepEqual(Object.keys(repository.files()), ['agent/mine', 'edited', 'readme.md']);
    assert.deepEqual([repository.read('edited'), repository.read('readme.md')], ['mine\n', 'one\ntwo\nthree\n']);
  }
});

test('a change of a person elsewhere in a file of the run stays in it', async () => {
  const repository = new TestRepository();
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
  repository.write('long', lines.join(''));
  repository.commit('long');
  const order = await run(repository, () => repository.write('long', lines.join('').replace('line 2\n', 'agent\n')));
  repository.write('long', repository.read('long').replace('line 17\n', 'mine\n'));
  const undone = await undoRun(repository.place, order);
  assert.ok(!isRefusal(undone), JSON.stringify(undone));
  assert.deepEqual(undone.saved, []);
  assert.equal(repository.read('long'), lines.join('').replace('line 17\n', 'mine\n'));
  repository.write('long', lines.join('').replace('line 2\n', 'mine\n'));
  const refused = await undoRun(repository.place, order);
  assert.ok(isRefusal(refused));
  assert.deepEqual(refused.details, ['long']);
});

test('an undo that was cut off half way can be made again', async () => {
  const repository = new TestRepository();
  repository.write('a', '1');
  repository.write('b', '1');
  const theirs = repository.fingerprint();
  const order = await run(repository, () => {
    repository.write('a', '2');
    repository.write('b', '2');
  });
  repository.write('a', '1');
  assert.equal((await undoRun(repository.place, order)).kind, 'undone');
  assert.deepEqual(repository.fingerprint(), theirs);
});

test('a link that a run put in the place of a folder is not followed', async () => {
  const repository = new TestRepository();
  const outside = testFolder();
  writeFileSync(join(outside, 'file'), 'theirs');
  repository.write('folder/file', 'mine');
  const theirs = repository.fingerprint();
  const order = await run(repository, () => {
    rmSync(join(repository.root, 'folder'), { recursive: true });
    symlinkSync(outside, join(repository.root, 'folder'));
  });
  assert.equal((await undoRun(repository.place, order)).kind, 'undone');
  assert.deepEqual(readdirSync(outside), ['file']);
  assert.deepEqual(repository.fingerprint(), theirs);
});

test('what was ignored before the run is left, also when the run un-ignored it', async () => {
  const repository = new TestRepository();
  repository.write('.gitignore', 'modules\n');
  repository.commit('ignore');
  repository.write('modules/dependency', 'mine');
  const order = await run(repository, () => {
    repository.write('.gitignore', '');
    repository.write('new', 'agent');
  });
  const undone = await undoRun(repository.place, order);
  assert.ok(!isRefusal(undone));
  assert.deepEqual(undone.leftIgnored, ['modules/dependency']);
  assert.deepEqual(Object.keys(repository.files()), ['.gitignore', 'modules/dependency', 'readme.md']);
});

test('an ignored file where a file would be put back is not overwritten', async () => {
  const repository = new TestRepository();
  repository.write('note', 'mine');
  const order = await run(repository, () => rmSync(join(repository.root, 'note')));
  repository.write('.git/info/exclude', 'note\n');
  repository.write('note', 'another');
  const refused = await undoRun(repository.place, { ...order, isKept: true });
  assert.ok(isRefusal(refused));
  assert.deepEqual([refused.details, repository.read('note')], [['note'], 'another']);
});

test('where one file cannot be put back, all stay as they were', async () => {
  const repository = new TestRepository();
  repository.write('.gitignore', '*.o\n');
  repository.write('a', '1');
  repository.write('z', '1');
  const order = await run(repository, () => {
    repository.write('a', '2');
    rmSync(join(repository.root, 'z'));
    repository.write('z/in', '2');
  });
  mkdirSync(join(repository.root, 'z'), { recursive: true });
  repository.write('z/built.o', 'ignored, and in the way');
  const theirs = repository.fingerprint();
  await assert.rejects(undoRun(repository.place, order), /as they were/);
  assert.deepEqual(repository.fingerprint(), theirs);
  assert.deepEqual(readdirSync(repository.dataFolder), ['workspaces']);
});

test('a repository without a commit is undone to nothing', async () => {
  const repository = new TestRepository({ isEmpty: true });
  const order = await run(repository, () => repository.write('first', '1'));
  assert.equal((await undoRun(repository.place, order)).kind, 'undone');
  assert.deepEqual(repository.files(), {});
});

test('line ends that git would turn come back as they were', async () => {
  const repository = new TestRepository();
  repository.write('.gitattributes', '* text=auto eol=crlf\n');
  repository.write('dos.txt', 'one\r\ntwo\r\n');
  repository.commit('dos');
  const theirs = repository.fingerprint();
  const order = await run(repository, () => repository.write('dos.txt', 'agent\n'));
  assert.equal((await undoRun(repository.place, order)).kind, 'undone');
  assert.deepEqual(repository.fingerprint(), theirs);
});
