import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestOpenTree } from '../../../test/support/tree/test-open-tree.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { startNode } from '../../node.ts';
import { tryFolderLock } from '../../platform/files/folder-lock.ts';
import { rebuildFromTree } from './rebuild-from-tree.ts';

const onFatal = (fault: Error) => {
  throw fault;
};

/** A folder with a tree, whose ledger is closed. */
async function lived() {
  const tree = TestOpenTree.started();
  const waiting = await tree.life.inStatus('ready', { body: 'Later.\n' });
  const { id: running } = await tree.life.claimed({ title: 'Running' });
  const { id: reported } = await tree.life.claimed({ title: 'Reported', metadata: { reviewRequired: true } });
  await tree.life.report(reported, 'done');
  const done = await tree.life.inStatus('done', { tags: ['api'], priority: 'high' });
  await tree.look();
  await tree.stop();
  const tasks = Object.fromEntries([waiting, running, reported, done].map((id) => [id, tree.life.task(id)]));
  tree.life.at.ledger.close();
  return { folder: tree.root, tree, tasks, waiting, running, reported, done };
}

async function opened(folder: string) {
  const lock = tryFolderLock(join(folder, 'lock.sqlite'));
  assert.ok(lock);
  return await startNode({ dataFolder: folder, onFatal }, lock);
}

for (const damage of ['lost', 'damaged', 'sound'] as const) {
  test(`a ledger that is ${damage} is made anew from the tree`, async () => {
    const { folder, tasks, waiting, running, reported, done } = await lived();
    const file = join(folder, 'ledger.sqlite');
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    if (damage === 'lost') rmSync(file);
    if (damage === 'damaged') truncateSync(file, 5_000);
    writeFileSync(join(folder, 'tasks/ready/broken.md'), 'no front matter');
    appendFileSync(join(folder, `tasks/ready/${waiting}.md`), 'More.\n');
    const before = readFileSync(join(folder, `tasks/done/${done}.md`), 'utf8');

    const rebuilt = await rebuildFromTree({ dataFolder: folder, onFatal });
    assert.ok(!isRefusal(rebuilt), JSON.stringify(rebuilt));
    assert.equal(rebuilt.tasks, 4);
    assert.deepEqual(
      rebuilt.unread.map(({ path }) => path),
      ['tasks/ready/broken.md'],
    );
    assert.ok(rebuilt.notRestored.length >= 4);
    assert.equal(rebuilt.keptAs === null, damage === 'lost');
    assert.ok(existsSync(join(rebuilt.treeKeptAs ?? '', 'events')));
    assert.equal(readFileSync(join(rebuilt.treeKeptAs ?? '', `tasks/done/${done}.md`), 'utf8'), before);
    assert.equal(readFileSync(join(rebuilt.treeKeptAs ?? '', 'tasks/ready/broken.md'), 'utf8'), 'no front matter');

    const { client } = await opened(folder);
    const shown = async (id: string) => {
      const task = await client.showTask({ task: id });
      assert.ok(!isRefusal(task));
      return task;
    };
    for (const [id, task] of Object.entries(tasks)) {
      const { uid, title, priority, tags, createdBy } = await shown(id);
      const { routing } = task;
      assert.deepEqual(
        [uid, title, priority, tags, createdBy],
        [task.uid, task.title, task.priority, routing.tags, task.createdBy],
      );
    }
    assert.equal((await shown(waiting)).body, 'Later.\nMore.\n');
    const statuses = await Promise.all([waiting, running, reported, done].map(async (id) => (await shown(id)).status));
    assert.deepEqual(statuses, ['ready', 'ready', 'review', 'done']);
    // No lease of the new ledger has a fence that the old one gave.
    const claimed = await client.claimTask({ task: running, agent: 'swe-backend', run: null });
    assert.ok(!isRefusal(claimed));
    assert.equal(claimed.run.fence, 2);
    await client.treeSettled();
    await client.close();
    assert.deepEqual(
      readdirSync(join(folder, 'tasks/in-progress')).filter((name) => name.endsWith('.md')),
      [`${running}.md`],
    );
  });
}

test('a folder without any task is not given an empty ledger', async () => {
  const { folder, tree } = await lived();
  rmSync(join(folder, 'tasks'), { recursive: true });
  const before = readFileSync(tree.life.at.file);
  const refused = await rebuildFromTree({ dataFolder: folder, onFatal });
  assert.ok(isRefusal(refused));
  assert.deepEqual(readFileSync(tree.life.at.file), before);
});
