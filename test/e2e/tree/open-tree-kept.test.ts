import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { given } from '../../support/tree/given-file.ts';

test('links, pipes and folders in the place of a file are never read', async () => {
  const { tree, path, text } = await given();
  writeFileSync(tree.path('secret'), '---\ntitle: Secret\nstatus: ready\n---\n');
  symlinkSync(tree.path('secret'), tree.path('tasks/ready/link.md'));
  mkdirSync(tree.path('tasks/ready/folder.md'));
  tree.remove(path);
  symlinkSync(tree.path('secret'), tree.path(path));
  await tree.look();
  assert.deepEqual(tree.incidents().sort(), ['unreadable_file', 'unreadable_file', 'unreadable_file']);
  assert.equal(readFileSync(tree.path('secret'), 'utf8'), '---\ntitle: Secret\nstatus: ready\n---\n');
  await tree.life.move(tree.life.task(path.slice(12, -3)).id, 'blocked');
  await tree.look();
  assert.equal(
    tree.text(path.replace('ready', 'blocked')).replace('blocked', 'ready').split('\n')[4],
    text.split('\n')[4],
  );
  assert.equal(tree.life.task(path.slice(12, -3)).title, 'Add users endpoint');
  await tree.stop();
});

test('an edit of an older text is merged with what happened since', async () => {
  const here = await given();
  const { tree, id, path, text } = here;
  await tree.life.update(id, { progress: 'half', notes: 'on it' });
  await tree.life.claim(id);
  await tree.mirror.settled();
  const now = `tasks/in-progress/${id}.md`;
  assert.match(tree.text(now), /- two\n- 2026-02-09T21:00:00.000Z Progress: half/);
  // The editor had the file open since before the claim.
  tree.type(now, text.replace('Then that.', 'Then this.').replace('- two\n', '- two\n- mine\n'));
  await tree.look();
  const body = tree.life.task(id).body;
  assert.match(body, /Then this\.[\s\S]*- two\n- 2026-02-09T21:00:00.000Z Progress: half \| Notes: on it\n- mine\n$/);
  assert.equal(tree.life.status(id), 'in-progress');
  assert.deepEqual(Object.keys(tree.tasks()), [now]);
  assert.ok(!existsSync(tree.path(path)));
  await tree.stop();
});

test('an edit under a change of the same field keeps the ledger, and the edit beside it', async () => {
  const { tree, id, path, text } = await given();
  await tree.life.do((await import('../../../src/operations/task/edit-task.ts')).editTask, {
    taskId: id,
    actor: 'operator',
    reason: null,
    change: { title: 'By command' },
  });
  const typed = text.replace('Add users endpoint', 'By hand');
  tree.type(path, typed);
  await tree.look();
  assert.equal(tree.life.task(id).title, 'By command');
  assert.match(tree.text(path), /title: By command/);
  assert.equal(tree.text(`tasks/ready/${id}.rejected.md`), typed);
  assert.deepEqual(tree.incidents(), ['edit_set_aside']);
  await tree.stop();
});

test('a text that lies where the mirror is to write is judged first, and nobody waits in vain', async () => {
  const { tree, id, path } = await given();
  tree.edit(path, 'Do it', 'Did it');
  await tree.life.move(id, 'blocked');
  const shown = tree.mirror.settled([id]);
  await tree.open.reconcileAll();
  await shown;
  assert.match(tree.text(`tasks/blocked/${id}.md`), /status: blocked[\s\S]*Did it/);
  assert.deepEqual(Object.keys(tree.tasks()), [`tasks/blocked/${id}.md`]);
  assert.deepEqual(tree.incidents(), []);
  await tree.stop();
});

test('text that cannot be read makes room where the task goes on', async () => {
  const { tree, id, path } = await given();
  tree.type(path, 'not a task any more');
  await tree.life.move(id, 'blocked');
  await tree.look();
  assert.equal(tree.life.status(id), 'blocked');
  const kept = Object.entries(tree.tasks()).find(([name]) => name.includes('.rejected'));
  assert.equal(kept?.[1], 'not a task any more');
  assert.ok(lstatSync(tree.path(`tasks/blocked/${id}.md`)).isFile());
  assert.deepEqual(tree.incidents(), ['edit_set_aside']);
  await tree.stop();
});

test('a companion folder goes with its task, and home when it was moved alone', async () => {
  const { tree, id, path } = await given();
  tree.type(`tasks/ready/${id}/outputs/summary.md`, 'made');
  tree.rename(path, `tasks/blocked/${id}.md`);
  await tree.look();
  assert.equal(tree.text(`tasks/blocked/${id}/outputs/summary.md`), 'made');
  tree.rename(`tasks/blocked/${id}`, `tasks/review/${id}`);
  await tree.look();
  assert.equal(tree.text(`tasks/blocked/${id}/outputs/summary.md`), 'made');
  await tree.stop();
});
