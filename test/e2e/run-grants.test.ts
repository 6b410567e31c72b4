import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { output, RunStage, taskFor } from '../support/run-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';

const stage = await RunStage.up('run-grants');

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
