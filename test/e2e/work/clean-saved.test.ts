import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { CleanAnswer, EventView } from '../../../src/api/contract.ts';
import { type BatonRun, linesOf, ROOT, runBaton } from '../../support/run-baton.ts';
import { orderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository, testFolder } from '../../support/test-repository.ts';

const NOBODY = { BATON_RUN: '', BATON_DATA: '' };
const OLD = join(ROOT, 'test/fixtures/workspace/refs-in-repository.tgz');

function batonIn(folder: string, args: readonly string[], environment = {}): Promise<BatonRun> {
  return runBaton(args, { folder, environment: { ...NOBODY, ...environment } });
}

async function done(folder: string, ...args: string[]): Promise<string> {
  const ended = await batonIn(folder, args);
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
  return ended.stdout;
}

async function clean(root: string, ...flags: string[]): Promise<CleanAnswer> {
  return JSON.parse(await done(root, 'clean', '--json', ...flags));
}

async function runIn(root: string, words: string, ...flags: string[]): Promise<string> {
  const ended = await batonIn(root, ['run', words, '--agent', 'demo', '--yes', '--json', ...flags]);
  return orderRun(ended).own.task;
}

/** Files below a folder of the data folder, as text. */
function saved(root: string, folder: string): readonly string[] {
  const path = join(root, '.baton', folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path, { recursive: true }).map((name) => join(path, String(name)));
  return files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'latin1'));
}

async function eventsOf(root: string, task: string): Promise<readonly string[]> {
  const ended = await batonIn(root, ['events', '--task', task, '--json']);
  return linesOf<EventView>(ended).map(({ type }) => type);
}

function withSecret(): TestRepository {
  const repository = new TestRepository();
  repository.write('.gitignore', '.env\n');
  repository.commit('rules');
  repository.write('.env', 'KEY=first-secret\n');
  return repository;
}

describe('what clean removes beside the store', { skip: noBubblewrap }, () => {
  test('copies of ignored files, states of git and ignore rules go with the work that needed them', async () => {
    const repository = withSecret();
    const { root } = repository;
    const undone = await runIn(root, '@demo write .env KEY=agents');
    assert.ok(saved(root, 'saved').some((text) => text.includes('first-secret')));
    await done(root, 'undo', undone);
    assert.equal(repository.read('.env'), 'KEY=first-secret\n');
    repository.write('.env', 'KEY=second-secret\n');
    repository.write('.gitignore', '.env\n*.log\n');
    const kept = await runIn(root, '@demo write .env KEY=agents');
    const before = saved(root, 'saved');
    const planned = await clean(root, '--dry-run');
    assert.deepEqual(saved(root, 'saved'), before, 'a dry run removes nothing');
    const cleaned = await clean(root);
    assert.ok(cleaned.saved > 0);
    assert.equal(planned.saved, cleaned.saved);
    const left = saved(root, 'saved');
    assert.ok(!left.some((text) => text.includes('first-secret')), 'no copy of what nobody needs');
    assert.ok(
      left.some((text) => text.includes('second-secret')),
      'an undo needs it',
    );
    assert.equal(saved(root, 'shadows/ignore-rules').length, 1);
    await done(root, 'undo', kept);
    assert.equal(repository.read('.env'), 'KEY=second-secret\n');
    await clean(root);
    assert.deepEqual([...saved(root, 'saved'), ...saved(root, 'shadows/ignore-rules')], []);
    assert.equal((await clean(root)).bytes, 0);
    const later = await runIn(root, '@demo write .env KEY=agents');
    await done(root, 'undo', later);
    assert.equal(repository.read('.env'), 'KEY=second-secret\n');
  });

  test('each task says that its work was cleaned, and when', async () => {
    const { root } = new TestRepository();
    const discarded = await runIn(root, '@demo write a.txt hello', '--worktree');
    await done(root, 'discard', discarded);
    const waiting = await runIn(root, '@demo write b.txt hello', '--worktree');
    await clean(root, '--dry-run');
    assert.ok(!(await eventsOf(root, discarded)).includes('work.cleaned'), 'a dry run is not recorded');
    // Killed after it is recorded and before anything is removed; the next clean does the rest.
    await batonIn(root, ['clean'], { BATON_CRASH: 'workspace.clean-recorded:1' });
    const names = () => readdirSync(join(root, '.baton/shadows'), { recursive: true }).map(String);
    assert.ok(names().some((name) => name.includes(discarded)));
    for (const verb of ['diff', 'undo', 'apply']) {
      const refused = await batonIn(root, [verb, discarded]);
      assert.equal(refused.status, 2, verb);
      assert.match(
        refused.stderr,
        new RegExp(
          `the saved files of ${discarded} were removed by baton clean on \\d{4}-\\d\\d-\\d\\d at \\d\\d:\\d\\d UTC\n`,
        ),
      );
    }
    await clean(root);
    await clean(root, '--older-than', '0');
    assert.ok(!names().some((name) => name.includes(discarded)));
    assert.deepEqual(
      (await eventsOf(root, discarded)).filter((type) => type.startsWith('work.')),
      ['work.discarded', 'work.cleaned'],
    );
    assert.match(await done(root, 'task', 'show', discarded), /^ {2}cleaned \S.*: its saved files were removed$/m);
    assert.match(await done(root, 'events', '--task', discarded), /removed its saved files/);
    assert.ok(!(await eventsOf(root, waiting)).includes('work.cleaned'));
    await done(root, 'apply', waiting);
  });

  test('the commits of an agent stay as a chain while its work waits, and go when it is dropped', async () => {
    const stage = await RunStage.alone('clean-chain');
    const repository = stage.repository();
    const commit = (name: string) =>
      `echo ${name} > ${name}; git add ${name}; git -c user.name=a -c user.email=a@a commit -qm ${name}`;
    const script = (names: readonly string[]) => names.map(commit).join('; ');
    const work = async (...names: string[]) =>
      (await stage.run(taskFor('runs-a-script', repository.root, { task: { objective: script(names) } }), '--worktree'))
        .own.task;
    const call = async (...args: string[]) => {
      const ended = await stage.data.run(args);
      assert.equal(ended.status, 0, ended.stdout + ended.stderr);
      return ended.stdout;
    };
    const dropped = await work('drop-1', 'drop-2', 'drop-3');
    const waiting = await work('wait-1', 'wait-2', 'wait-3');
    const subjects = () => storedSubjects(stage.data.path);
    assert.deepEqual(subjects(), ['drop-1', 'drop-2', 'drop-3', 'wait-1', 'wait-2', 'wait-3']);
    await call('discard', dropped);
    await call('clean');
    assert.deepEqual(subjects(), ['wait-1', 'wait-2', 'wait-3']);
    await call('apply', waiting, '--branch', 'theirs', '--commits');
    assert.equal(repository.git('log', '--reverse', '--format=%s', 'main..theirs'), 'wait-1\nwait-2\nwait-3');
    await call('clean', '--older-than', '0');
    assert.deepEqual(subjects(), []);
    assert.equal(repository.git('rev-list', '--count', '--objects', 'theirs') !== '', true, 'the branch is whole');
  });

  test('refs that an earlier version left in the repository are moved before anything is removed', async () => {
    const folder = testFolder();
    execFileSync('tar', ['xzf', OLD, '--no-same-owner'], { cwd: folder });
    const root = join(folder, 'shop');
    const refs = () => execFileSync('git', ['for-each-ref', '--format=%(refname)'], { cwd: root, encoding: 'utf8' });
    await done(root, 'init', '--trust');
    await clean(root, '--dry-run');
    assert.match(refs(), /refs\/baton/);
    await clean(root, '--older-than', '0');
    assert.equal(refs(), 'refs/heads/main\n');
    await done(root, 'apply', 'TASK-2026-11-16-003');
  });
});

/** Subjects of the agents' commits that the stores of a data folder have, whether something names them or not. */
function storedSubjects(data: string): readonly string[] {
  const stores = readdirSync(join(data, 'shadows')).filter((name) => name.endsWith('.store'));
  return stores.flatMap((store) => {
    const env = { ...process.env, GIT_OBJECT_DIRECTORY: join(data, 'shadows', store, 'objects'), GIT_DIR: emptyGit() };
    const git = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8' });
    const all = git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)').split('\n');
    const commits = all.filter((line) => line.startsWith('commit ')).map((line) => line.slice('commit '.length));
    const texts = commits.map((commit) => git('cat-file', 'commit', commit));
    const own = texts.filter((text) => text.includes('\nauthor a <a@a>'));
    return own.map((text) => text.trim().split('\n').at(-1) ?? '').sort();
  });
}

function emptyGit(): string {
  const folder = testFolder();
  execFileSync('git', ['init', '-q', '--bare', folder]);
  return folder;
}
