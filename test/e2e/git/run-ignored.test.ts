import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Receipt } from '../../../src/checks/receipt.ts';
import type { BatonRun } from '../../support/run-baton.ts';
import { type OrderRun, orderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-ignored');
const SECRET = 'TOKEN=hunter2-hunter2\n';

/** A repository with an ignored secret, a link, a tool, a small ignored folder and a large one. */
function project(): TestRepository {
  const repository = stage.repository();
  repository.write('.gitignore', '.env\n*.local\nnode_modules/\ncache/\ndist/\nbig.bin\n');
  repository.commit('rules');
  repository.write('.env', SECRET, 0o640);
  repository.write('cache/a.json', '{}\n');
  repository.write('big.bin', Buffer.alloc(2_000_000));
  symlinkSync('nowhere', join(repository.root, 'link.local'));
  for (let at = 0; at < 300; at += 1) repository.write(`node_modules/p${at % 20}/f${at}.js`, `// ${at}\n`);
  repository.write('node_modules/.bin/judge', '#!/bin/sh\nexec test -f done.txt\n', 0o755);
  return repository;
}

async function work({ root }: TestRepository, objective: string, ...flags: string[]): Promise<OrderRun> {
  return await stage.run(taskFor('runs-a-script', root, { task: { objective } }), ...flags);
}

function warnings({ response }: OrderRun): string {
  return response.execution_summary?.warnings?.join('\n') ?? '';
}

function undo(task: string, ...flags: string[]): Promise<BatonRun> {
  return stage.data.run(['undo', task, ...flags]);
}

function modeOf({ root }: TestRepository, name: string): number {
  return lstatSync(join(root, name)).mode & 0o7777;
}

describe('files that git ignores', { concurrency: 2, skip: noBubblewrap }, () => {
  test('a secret that was overwritten is told by its name alone, and put back exactly', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    const script = 'echo STOLEN=1 > .env; chmod 600 .env; rm link.local cache/a.json; ln -s .env cache/a.json';
    const run = await work(repository, script);
    for (const name of ['.env', 'link.local', 'cache/a.json']) {
      assert.match(
        warnings(run),
        new RegExp(`^ignored by git: ${name.replace('.', '\\.')} (changed|removed), saved$`, 'm'),
      );
    }
    const receipt = JSON.parse(readFileSync(run.own.receipt ?? '', 'utf8')) as Receipt;
    assert.equal(receipt.ignoredChanges?.length, 3);
    const diff = await stage.data.run(['diff', run.own.task]);
    const shown = await stage.data.run(['task', 'show', run.own.task]);
    for (const { stdout } of [diff, shown]) assert.match(stdout, /ignored by git: \.env changed, saved/);
    assert.doesNotMatch(run.stdout + run.stderr + diff.stdout + shown.stdout, /hunter2/);
    const undone = await undo(run.own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual([repository.read('.env'), modeOf(repository, '.env')], [SECRET, 0o640]);
    assert.equal(readlinkSync(join(repository.root, 'link.local')), 'nowhere');
    assert.deepEqual(
      [repository.read('cache/a.json'), lstatSync(join(repository.root, 'cache/a.json')).isFile()],
      ['{}\n', true],
    );
    const aside = /before the undo is in (.+)$/m.exec(undone.stdout)?.[1] ?? '';
    assert.equal(readFileSync(join(aside, '.env'), 'utf8'), 'STOLEN=1\n');
    assert.doesNotMatch(undone.stdout, /STOLEN/);
    assert.match((await stage.data.run(['task', 'show', run.own.task])).stdout, /undone .+: 3 ignored files in /);
    assert.equal((await undo(run.own.task)).status, 0, 'a second undo has nothing to do');
    const applied = await stage.data.run(['apply', run.own.task]);
    assert.match(applied.stdout, /^applied TASK-\S+: 3 ignored files in /m);
    assert.deepEqual([repository.read('.env'), modeOf(repository, '.env')], ['STOLEN=1\n', 0o600]);
    assert.equal(readlinkSync(join(repository.root, 'cache/a.json')), '.env');
    assert.equal((await undo(run.own.task)).status, 0);
    assert.deepEqual([repository.read('.env'), existsSync(join(repository.root, 'cache/a.json'))], [SECRET, true]);
  });

  test('what is saved is closed to others, and is not in the repository', { timeout: 240_000 }, async () => {
    const repository = project();
    await work(repository, 'true');
    const folder = join(stage.data.path, 'saved', 'ignored');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    const files = readdirSync(folder);
    for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
    assert.ok(files.some((file) => readFileSync(join(folder, file), 'utf8') === SECRET));
    assert.equal(repository.git('status', '--porcelain'), '');
  });

  test('a large folder that was removed is told with its numbers', { timeout: 240_000 }, async () => {
    const repository = project();
    const run = await work(repository, 'rm -r node_modules; echo 1 >> big.bin');
    assert.match(warnings(run), /^ignored by git: node_modules: 301 files removed, not saved$/m);
    assert.match(warnings(run), /^ignored by git: big\.bin changed, not saved$/m);
    const undone = await undo(run.own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.match(undone.stdout, /node_modules: 301 files removed, not saved/);
    assert.match(undone.stdout, /big\.bin: it was not saved/);
  });

  test('a large folder that was changed is told with its numbers', { timeout: 240_000 }, async () => {
    const repository = project();
    const script =
      'echo x > node_modules/p1/f1.js; rm node_modules/p2/f2.js node_modules/p3/f3.js; echo n > node_modules/new.js';
    const run = await work(repository, script);
    assert.match(
      warnings(run),
      /^ignored by git: node_modules: 1 file changed, not saved \(node_modules\/p1\/f1\.js\)$/m,
    );
    assert.match(warnings(run), /^ignored by git: node_modules: 2 files removed, not saved$/m);
    assert.match(warnings(run), /^new and ignored by git: node_modules\//m);
  });

  test('build output is one line, and an undo removes it unless a person changed it', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    const run = await work(
      repository,
      'mkdir -p dist/deep; echo 1 > dist/a.js; echo 2 > dist/deep/b.js; echo x > x.local',
    );
    const lines = warnings(run)
      .split('\n')
      .filter((line) => /ignored/.test(line));
    assert.deepEqual(lines, ['new and ignored by git: dist/ (2 files), x.local']);
    repository.write('dist/a.js', 'mine\n');
    const undone = await undo(run.own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual(
      [existsSync(join(repository.root, 'dist/deep')), existsSync(join(repository.root, 'x.local'))],
      [false, false],
    );
    assert.equal(repository.read('dist/a.js'), 'mine\n');
    assert.match(undone.stdout, /dist\/a\.js: it was changed since/);
  });

  test('a second run saves what the first one left', { timeout: 240_000 }, async () => {
    const repository = project();
    await work(repository, 'echo FIRST=1 > .env');
    const run = await work(repository, 'rm .env');
    assert.match(warnings(run), /^ignored by git: \.env removed, saved$/m);
    const undone = await undo(run.own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(repository.read('.env'), 'FIRST=1\n');
  });

  test('a file that a person changed since is refused by name, and saved with --keep', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    const { own } = await work(repository, 'echo STOLEN=1 > .env; echo a > a.txt');
    repository.write('.env', 'MINE=1\n');
    const refused = await undo(own.task);
    assert.deepEqual([refused.status, repository.read('.env')], [2, 'MINE=1\n']);
    assert.match(refused.stderr, /an ignored file of the run was changed since/);
    assert.match(refused.stderr, /\.env/);
    const kept = await undo(own.task, '--keep');
    assert.equal(kept.status, 0, kept.stderr);
    assert.equal(repository.read('.env'), SECRET);
    const aside = /before the undo is in (.+)$/m.exec(kept.stdout)?.[1] ?? '';
    assert.equal(readFileSync(join(aside, '.env'), 'utf8'), 'MINE=1\n');
    assert.match(kept.stdout, /^your changes of 1 ignored file are saved; to bring them back:$/m);
    // Neither a clean nor the undo of a later round overwrites them.
    assert.equal((await stage.data.run(['clean'])).status, 0);
    assert.equal((await stage.data.run(['apply', own.task])).status, 0);
    repository.write('.env', 'LATER=1\n');
    await undo(own.task, '--keep');
    const command = /^ {2}(cp .+)$/m.exec(kept.stdout)?.[1] ?? '';
    execFileSync('/bin/sh', ['-c', command]);
    assert.equal(repository.read('.env'), 'MINE=1\n');
  });

  test('an empty ignored folder of a person stays when a file of the agent in it goes', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    mkdirSync(join(repository.root, 'dist'));
    const { own } = await work(repository, 'echo x > dist/a.js; mkdir -p new/sub new/empty; echo y > new/sub/y');
    assert.equal((await undo(own.task)).status, 0);
    assert.deepEqual(readdirSync(join(repository.root, 'dist')), []);
    assert.equal(existsSync(join(repository.root, 'new')), false);
  });

  test('new rules do not turn old files into new ones', { timeout: 240_000 }, async () => {
    const repository = project();
    repository.write('notes.txt', 'mine\n');
    const run = await work(repository, 'echo notes.txt >> .gitignore');
    assert.doesNotMatch(warnings(run), /ignored by git/);
    assert.equal((await undo(run.own.task)).status, 0);
    assert.equal(repository.read('notes.txt'), 'mine\n');
  });

  test('a later run with a folder that is closed to Baton tells nothing wrong', { timeout: 240_000 }, async () => {
    const repository = project();
    chmodSync(join(repository.root, '.env'), 0o000);
    const run = await work(repository, 'echo a > a.txt');
    assert.doesNotMatch(warnings(run), /ignored by git/);
  });
});

describe('checks that run ignored files', { concurrency: 2, skip: noBubblewrap }, () => {
  async function judged({ root }: TestRepository, words: string): Promise<OrderRun> {
    const flags = ['--check', 'node_modules/.bin/judge', '--workspace', root, '--json'];
    return orderRun(await stage.data.run(['run', words, '--agent', 'demo', '--yes', '--retries', '0', ...flags]));
  }

  test('a check that writes ignored files does not make a saved file look lost', { timeout: 240_000 }, async () => {
    const repository = project();
    const flags = [
      '--check',
      'touch cache/b.json',
      '--workspace',
      repository.root,
      '--json',
      '--yes',
      '--retries',
      '0',
    ];
    const words = '@demo write .env STOLEN=1\n@demo write a.txt hi';
    const run = orderRun(await stage.data.run(['run', words, '--agent', 'demo', ...flags]));
    assert.match(warnings(run), /^ignored by git: \.env changed, saved$/m);
    const receipt = JSON.parse(readFileSync(run.own.receipt ?? '', 'utf8')) as Receipt;
    assert.equal(receipt.ignoredChanges?.find(({ path }) => path === '.env')?.isSaved, true);
  });

  test('work that replaced the tool that checks it is unchecked', { timeout: 240_000 }, async () => {
    const run = await judged(project(), '@demo write node_modules/.bin/judge #!/bin/true\n@demo write a.txt hi');
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
    assert.match(
      warnings(run),
      /unchecked: it changed files that the checks run and git does not record: node_modules/,
    );
  });

  test('work that only builds is checked as before', { timeout: 240_000 }, async () => {
    const run = await judged(
      project(),
      '@demo write done.txt hi\n@demo write dist/a.js built\n@demo write node_modules/.cache/x 1',
    );
    assert.deepEqual([run.exit, run.own.unchecked], [0, false], run.stdout);
  });
});
