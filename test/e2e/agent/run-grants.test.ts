import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { type OrderRun, output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-grants');
// Grants beside the workspace need the operator's leave.
stage.configure({ access: { allow: [tmpdir()] } });

const may = (read: string, ...write_paths: string[]) => ({
  access: { filesystem: { read_paths: [read], write_paths }, network: 'NONE' },
});

describe('paths that may be written and are not there', { concurrency: 3, skip: noBubblewrap }, () => {
  test('a folder with an output in it is made for the agent, and a file by its name', async () => {
    const repository = stage.repository();
    const { root } = repository;
    const expected_outputs = [output('tests/unit/a.txt'), output('Makefile'), output('new.txt')];
    const task = { ...may(root, `${root}/tests`, 'Makefile', 'new.txt', 'other'), expected_outputs };
    const { exit, response } = await stage.run(taskFor('completes', root, { task }));
    assert.equal(exit, 0, JSON.stringify(response.error_details));
    assert.equal(repository.read('tests/unit/a.txt'), 'tests/unit/a.txt\n');
    assert.equal(repository.read('Makefile'), 'Makefile\n');
    assert.deepEqual(Object.keys(repository.files()), ['Makefile', 'new.txt', 'readme.md', 'tests/unit/a.txt']);
  });

  test('a file that the agent did not write is not there for its check, before or after', async () => {
    const repository = stage.repository();
    const validation = { command: 'test -e a.txt', expects: 'EXIT_CODE_0' };
    const checkpoints = [{ checkpoint_id: 'A', description: 'made', validation, recovery_strategy: 'ABORT' }];
    const phases = [{ phase_id: 'P', phase_order: 1, label: 'P', objective: 'x', checkpoints }];
    const task = taskFor('claims-success', repository.root, { task: may(repository.root, 'a.txt'), phases });
    const { exit, response } = await stage.run(task);
    assert.equal(exit, 4, JSON.stringify(response.checkpoint_results));
    assert.deepEqual(Object.keys(repository.files()), ['readme.md']);
  });

  test('what lies beside the write paths stays as it is', async () => {
    const repository = stage.repository();
    const objective = '@demo write out/a.txt x\n@demo append readme.md four';
    const task = { ...may(repository.root, 'out'), objective, expected_outputs: [output('out/a.txt')] };
    const { exit, code } = await stage.run(taskFor('demo', repository.root, { task }));
    assert.deepEqual([exit, code], [1, 'E_PERMISSION_DENIED']);
    assert.equal(repository.read('readme.md'), 'one\ntwo\nthree\n');
  });
});

/** Status and path from the workspace of each artifact. */
function artifactsOf({ response }: OrderRun, root: string): string[] {
  const { output_artifacts: artifacts } = response.execution_summary ?? {};
  return (artifacts ?? []).map(({ status, path }) => `${status} ${path?.replace(`${root}/`, '')}`);
}

describe('grants beside the workspace, and outputs that git does not see', {
  concurrency: 3,
  skip: noBubblewrap,
}, () => {
  test('an output in a folder that may only be written is found, and told as what became of it', async () => {
    const { root } = stage.repository();
    const folder = scratchFolder('granted');
    writeFileSync(`${folder}/old.txt`, 'old');
    const paths = ['new.txt', 'old.txt'].map((name) => `${folder}/${name}`);
    const task = { ...may(root, folder), expected_outputs: paths.map((path) => output(path)) };
    const done = await stage.run(taskFor('completes', root, { task }));
    assert.equal(done.exit, 0, JSON.stringify(done.response.error_details));
    assert.deepEqual(artifactsOf(done, folder), ['CREATED new.txt', 'UPDATED old.txt']);
  });

  test('an output that git ignores is CREATED, UPDATED or UNCHANGED by its content', async () => {
    const repository = stage.repository();
    repository.write('.gitignore', 'build/\n');
    repository.write('build/old.txt', 'old');
    repository.write('build/same.txt', 'build/same.txt\n');
    const expected_outputs = ['new', 'old', 'same'].map((name) => output(`build/${name}.txt`));
    const done = await stage.run(taskFor('completes', repository.root, { task: { expected_outputs } }));
    assert.equal(done.exit, 0, JSON.stringify(done.response.error_details));
    assert.deepEqual(artifactsOf(done, repository.root).sort(), [
      'CREATED build/new.txt',
      'UNCHANGED build/same.txt',
      'UPDATED build/old.txt',
    ]);
  });

  for (const [name, changes] of [
    ['file_system_access false', { target: { capabilities: { file_system_access: false } } }],
    ['an empty grant', { task: { access: { filesystem: { read_paths: [], write_paths: [] } } } }],
  ] as const) {
    test(`${name}: the agent runs in an empty folder that it cannot write`, async () => {
      const repository = stage.repository();
      const objective = '@demo write a.txt x';
      const { task, ...rest } = { task: {}, ...changes };
      const done = await stage.run(taskFor('demo', repository.root, { ...rest, task: { ...task, objective } }));
      assert.notEqual(done.code, 'E_PROCESS_CRASH', JSON.stringify(done.response.error_details));
      assert.match(JSON.stringify(done.response.execution_summary), /EROFS|read-only/i);
      assert.deepEqual(Object.keys(repository.files()), ['readme.md']);
    });
  }

  test('an agent whose grant lies elsewhere alone starts at its workspace and sees nothing of it', async () => {
    const { root } = stage.repository();
    const folder = scratchFolder('elsewhere');
    const task = { ...may(folder, folder), expected_outputs: [output(`${folder}/a.txt`)] };
    const done = await stage.run(taskFor('completes', root, { task }));
    assert.equal(done.exit, 0, JSON.stringify(done.response.error_details));
    assert.equal(readFileSync(`${folder}/a.txt`, 'utf8'), `${folder}/a.txt\n`);
  });

  test('a workspace that is named through a link is worked in, and its files are told by that name', async () => {
    const repository = stage.repository();
    const root = `${scratchFolder('linked')}/ws`;
    symlinkSync(repository.root, root);
    const expected_outputs = [output(`${root}/a.txt`), output('b.txt'), output(`${repository.root}/c.txt`)];
    const done = await stage.run(taskFor('completes', root, { task: { expected_outputs } }));
    assert.equal(done.exit, 0, JSON.stringify(done.response.error_details));
    assert.deepEqual(artifactsOf(done, root), ['CREATED a.txt', 'CREATED b.txt', `CREATED ${repository.root}/c.txt`]);
    assert.deepEqual(Object.keys(repository.files()), ['a.txt', 'b.txt', 'c.txt', 'readme.md']);
  });
});
