import assert from 'node:assert/strict';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-rollback');
const PATHS = ['tracked.txt', 'changed.txt', 'untracked.bin', 'run.sh', 'link', 'new.txt', 'deep/new.txt'];

/** Files of every kind, two of them not there, and changes that are not committed. */
function mixedRepository(): TestRepository {
  const repository = stage.repository();
  repository.write('tracked.txt', 'one\r\ntwo, no end');
  repository.write('changed.txt', 'old\n');
  repository.write('run.sh', '#!/bin/sh\n', 0o755);
  symlinkSync('tracked.txt', join(repository.root, 'link'));
  repository.commit('more');
  repository.write('changed.txt', 'changed, not committed\n');
  repository.write('untracked.bin', Buffer.from([0, 1, 254, 255]), 0o600);
  return repository;
}

/** As git sees them: of the mode it knows only who may execute. */
function contents(repository: TestRepository): string[] {
  return Object.keys(repository.files()).map((path) => `${path}: ${repository.read(path)}`);
}

const snapshot = (snapshot_strategy: string | null) => ({ rollback_snapshot: { enabled: true, snapshot_strategy } });

describe('rollback', { concurrency: 3, skip: noBubblewrap }, () => {
  for (const strategy of ['COPY', 'GIT_STASH', 'DIFF', null]) {
    test(`${strategy ?? 'no strategy'}: every output is back byte for byte, with mode, link and absence`, async () => {
      const repository = mixedRepository();
      const theirs = repository.fingerprint();
      const expected_outputs = PATHS.map((path) => output(path, snapshot(strategy)));
      const { exit, events, response, own } = await stage.run(
        taskFor('spoils-outputs', repository.root, { task: { expected_outputs } }),
      );
      assert.equal(exit, 1);
      assert.deepEqual(repository.fingerprint(), theirs);
      const told = events.find(({ event }) => event === 'ROLLBACK_INITIATED');
      assert.equal(told?.trigger, 'TASK_FAILED');
      const artifacts = told?.artifacts_rolled_back as readonly {
        path: string;
        restored_from: string | null;
        status: string;
      }[];
      assert.deepEqual(
        artifacts.map(({ path, status }) => [path, status]),
        PATHS.map((path) => [path, 'SUCCESS']),
      );
      assert.deepEqual(
        artifacts.filter(({ restored_from }) => restored_from === null).map(({ path }) => path),
        ['new.txt', 'deep/new.txt'],
      );
      assert.equal(own.rolled_back.length, PATHS.length);
      assert.ok(response.execution_summary?.output_artifacts?.every(({ status }) => status === 'UNCHANGED'));
    });
  }

  test('NONE, and an output without a snapshot, are left as the agent left them', async () => {
    const repository = mixedRepository();
    const expected_outputs = [output('tracked.txt', snapshot('NONE')), output('changed.txt')];
    const { exit, events } = await stage.run(
      taskFor('spoils-outputs', repository.root, { task: { expected_outputs } }),
    );
    assert.deepEqual(
      [exit, repository.read('tracked.txt'), repository.read('changed.txt')],
      [1, 'spoilt\n', 'spoilt\n'],
    );
    assert.equal(
      events.some(({ event }) => event === 'ROLLBACK_INITIATED'),
      false,
    );
  });

  test('a snapshot_path keeps the file where the order wants it, also after the rollback', async () => {
    const repository = mixedRepository();
    const path = join(repository.root, '.aop_snapshots', 'tracked.before');
    const rollback_snapshot = { enabled: true, snapshot_path: path, snapshot_strategy: 'COPY' };
    const expected_outputs = [output('tracked.txt', { rollback_snapshot })];
    const { events } = await stage.run(taskFor('spoils-outputs', repository.root, { task: { expected_outputs } }));
    assert.equal(repository.read('tracked.txt'), 'one\r\ntwo, no end');
    assert.equal(repository.read('.aop_snapshots/tracked.before'), 'one\r\ntwo, no end');
    const told = events.find(({ event }) => event === 'ROLLBACK_INITIATED');
    assert.deepEqual(told?.artifacts_rolled_back, [{ path: 'tracked.txt', restored_from: path, status: 'SUCCESS' }]);
  });

  test('what succeeds is not rolled back', async () => {
    const repository = mixedRepository();
    const expected_outputs = [output('tracked.txt', snapshot('COPY'))];
    const { exit, own } = await stage.run(taskFor('completes', repository.root, { task: { expected_outputs } }));
    assert.deepEqual([exit, repository.read('tracked.txt'), own.rolled_back], [0, 'tracked.txt\n', []]);
  });

  test('an ABORT rolls back too, with its own trigger, and only after the last attempt', async () => {
    const repository = mixedRepository();
    const validation = { command: 'grep -q right tracked.txt', expects: 'EXIT_CODE_0' };
    const checkpoints = [{ checkpoint_id: 'A', description: 'x', validation, recovery_strategy: 'ABORT' }];
    const phases = [{ phase_id: 'P', phase_order: 1, label: 'P', objective: 'x', checkpoints }];
    const expected_outputs = [output('tracked.txt', snapshot('COPY'))];
    const { exit, events } = await stage.run(
      taskFor('completes', repository.root, { task: { expected_outputs }, phases }),
    );
    assert.equal(exit, 4);
    assert.equal(repository.read('tracked.txt'), 'one\r\ntwo, no end');
    assert.equal(events.find(({ event }) => event === 'ROLLBACK_INITIATED')?.trigger, 'TASK_ABORTED');
  });

  test('a snapshot that is gone is E_ROLLBACK_FAILED, the others are put back, and what was before is told', async () => {
    const repository = mixedRepository();
    const expected_outputs = [output('tracked.txt', snapshot('COPY')), output('changed.txt', snapshot('COPY'))];
    const validation = { command: 'false', expects: 'EXIT_CODE_0' };
    const run = stage.start(
      taskFor('works-until-told', repository.root, {
        task: { expected_outputs: [...expected_outputs, output('work.pids', { validation })] },
      }),
    );
    await until(() => existsSync(join(repository.root, 'work.pids')));
    const running = taken(await stage.daemon?.client.status()).running;
    const task = running.find(({ agent }) => agent === 'works-until-told')?.id ?? '';
    const kept = join(stage.data.path, 'snapshots', task);
    const isTracked = (name: string) => readFileSync(join(kept, name), 'utf8') === 'one\r\ntwo, no end';
    for (const name of readdirSync(kept).filter(isTracked)) rmSync(join(kept, name));
    writeFileSync(join(repository.root, 'go'), '');
    const { exit, code, response, events } = await run.answered();
    assert.deepEqual([exit, code], [1, 'E_ROLLBACK_FAILED']);
    assert.match(response.error_details?.message ?? '', /tracked\.txt.*before that: E_UNKNOWN/);
    assert.equal(repository.read('changed.txt'), 'changed, not committed\n');
    const told = events.find(({ event }) => event === 'ROLLBACK_INITIATED');
    const artifacts = (told?.artifacts_rolled_back ?? []) as { status: string }[];
    const statuses = artifacts.map(({ status }) => status);
    assert.deepEqual(statuses, ['FAILED', 'SUCCESS']);
    assert.ok(statSync(kept).isDirectory());
  });

  test('an output of a hundred gigabytes of nothing cannot be kept, so nothing is begun', {
    timeout: 30_000,
  }, async () => {
    const repository = stage.repository();
    writeFileSync(join(repository.root, 'huge'), '');
    truncateSync(join(repository.root, 'huge'), 100 * 1024 ** 3);
    const expected_outputs = [output('huge', snapshot('COPY'))];
    const { exit, response } = await stage.run(
      taskFor('spoils-outputs', repository.root, { task: { expected_outputs } }),
    );
    assert.equal(exit, 1);
    assert.match(response.error_details?.message ?? '', /too large to be kept/);
    assert.equal(statSync(join(repository.root, 'huge')).size, 100 * 1024 ** 3);
  });

  test('an output that its agent led elsewhere is put back where it was, and what lies there is not touched', async () => {
    const repository = mixedRepository();
    repository.write('deep/kept.txt', 'mine\n');
    const outside = stage.repository();
    outside.write('kept.txt', 'of somebody else\n');
    const objective = `rm -rf tracked.txt deep; ln -s "${outside.root}/kept.txt" tracked.txt; ln -s "${outside.root}" deep; exit 1`;
    const validation = { command: 'test -f never', expects: 'EXIT_CODE_0' };
    const expected_outputs = ['tracked.txt', 'deep/kept.txt'].map((path) =>
      output(path, { validation, ...snapshot('COPY') }),
    );
    const { exit, own } = await stage.run(
      taskFor('runs-a-script', repository.root, { task: { objective, expected_outputs } }),
    );
    assert.equal(exit, 1);
    assert.equal(repository.read('tracked.txt'), 'one\r\ntwo, no end');
    assert.equal(outside.read('kept.txt'), 'of somebody else\n');
    assert.deepEqual(
      own.rolled_back.map(({ status }) => status),
      ['SUCCESS', 'FAILED'],
    );
    const undo = await stage.data.run(['undo', own.task, '--json']);
    assert.equal(undo.status, 0, undo.stdout);
    assert.equal(repository.read('deep/kept.txt'), 'mine\n');
  });

  test('after a rollback undo puts back the rest, and the order is told by what was verified, not by whom nobody is', async () => {
    const repository = mixedRepository();
    const before = contents(repository);
    const validation = { command: 'grep -q right tracked.txt', expects: 'EXIT_CODE_0' };
    const checkpoints = [{ checkpoint_id: 'A', description: 'x', validation, recovery_strategy: 'CONTINUE' }];
    const phases = [{ phase_id: 'P', phase_order: 1, label: 'P', objective: 'x', checkpoints }];
    const alternative_models = [{ provider: 'OTHER', model: 'nobody-has-this', fallback_trigger: 'ALL_ERRORS' }];
    const expected_outputs = [output('tracked.txt', snapshot('COPY')), output('changed.txt')];
    const { code, response, own } = await stage.run(
      taskFor('spoils-outputs', repository.root, {
        task: { expected_outputs },
        phases,
        execution_policy: { alternative_models },
      }),
    );
    assert.equal(code, 'E_ALL_MODELS_EXHAUSTED');
    assert.equal(response.checkpoint_results?.[0]?.status, 'FAIL');
    assert.equal(repository.read('changed.txt'), 'spoilt\n');
    const undo = await stage.data.run(['undo', own.task, '--json']);
    assert.equal(undo.status, 0, undo.stdout);
    assert.deepEqual(contents(repository), before);
  });
});
