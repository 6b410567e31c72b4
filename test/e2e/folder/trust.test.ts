import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf, Repository, scratch } from '../../support/node/trust-repository.ts';
import { linesOf } from '../../support/run-baton.ts';

test('a folder that this machine made counts, and its id stands in the state folder', async () => {
  const mine = new Repository('mine');
  assert.equal((await mine.run('task', 'new', 'One')).status, 0);
  assert.equal((await mine.run('task', 'list', '--json')).status, 0);
  const id = readFileSync(join(mine.path, '.baton', 'id'), 'utf8').trim();
  const known = join(mine.environment['HOME'] ?? '', '.local', 'state', 'baton', 'known');
  assert.ok(readFileSync(known, 'utf8').includes(`${id}\t`));
  assert.equal(statSync(known).mode & 0o777, 0o600);
});

test('a folder that came with a repository is refused by every command, and --trust lets it in', async () => {
  const theirs = new Repository('theirs', 'them');
  assert.equal((await theirs.run('task', 'new', 'Bait')).status, 0);
  const cloned = new Repository('cloned');
  cpSync(join(theirs.path, '.baton'), join(cloned.path, '.baton'), { recursive: true });
  for (const command of [
    'task list',
    'status',
    'up',
    'up -d',
    'doctor',
    'task new x',
    'init',
    'events',
    'down',
    'config show',
  ]) {
    const run = await cloned.run(...command.split(' '), '--json');
    assert.deepEqual([run.status, codeOf(run)], [2, 'folder_not_trusted'], command);
    assert.match(run.stderr, /try: .*baton init --trust/);
  }
  const named = await cloned.run('status', '--json', '--data', join(cloned.path, '.baton'));
  assert.equal(codeOf(named), 'folder_not_trusted');
  const byVariable = await cloned.with({ BATON_DATA: join(cloned.path, '.baton') }).run('status', '--json');
  assert.equal(codeOf(byVariable), 'folder_not_trusted');
  assert.equal((await cloned.run('init', '--trust')).status, 0);
  const [task] = linesOf<{ title: string }>(await cloned.run('task', 'list', '--json'));
  assert.equal(task?.title, 'Bait');
});

test('to trust one folder is not to trust another with the same id', async () => {
  const one = new Repository('one of two', 'them');
  await one.run('task', 'new', 'One');
  const two = new Repository('two of two');
  const three = new Repository('three');
  for (const to of [two, three]) cpSync(join(one.path, '.baton'), join(to.path, '.baton'), { recursive: true });
  assert.equal((await two.run('init', '--trust')).status, 0);
  assert.equal((await three.run('status')).status, 2);
});

test('a link at the git root is not followed', async () => {
  const real = new Repository('real');
  await real.run('task', 'new', 'Mine');
  const linked = new Repository('linked');
  symlinkSync(join(real.path, '.baton'), join(linked.path, '.baton'));
  const run = await linked.run('task', 'new', 'Theirs');
  assert.equal(run.status, 2);
  assert.match(run.stderr, /is a link/);
});

test('a folder that moved is still ours; one that others may write is not', async () => {
  const before = new Repository('before');
  await before.run('task', 'new', 'Moved');
  const behind = new Repository('behind');
  renameSync(join(before.path, '.baton'), join(behind.path, '.baton'));
  assert.equal((await behind.run('status')).status, 0);
  chmodSync(join(behind.path, '.baton'), 0o777);
  assert.equal(codeOf(await behind.run('status', '--json')), 'folder_refused');
});

test('an empty folder that is named is made ours, whatever its mode', async () => {
  const empty = join(scratch, 'empty');
  mkdirSync(empty);
  chmodSync(empty, 0o777);
  const run = await new Repository('beside').run('task', 'new', 'One', '--data', empty);
  assert.equal(run.status, 0, run.stderr);
  assert.equal(statSync(empty).mode & 0o777, 0o700);
});
