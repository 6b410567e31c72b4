import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { eventually, type JoinedNode, NodeStage } from '../../support/federation/joined-nodes.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('remote-tasks');

describe('a task that another node carries out', { concurrency: 1, skip: noBubblewrap }, () => {
  let left: JoinedNode;
  let right: JoinedNode;
  before(async () => {
    ({ left, right } = await stage.leftAndRight());
  });

  test('is accepted with an estimate before anything runs, done and checked there, and done here', async () => {
    const run = await left.order('@demo write a.txt hello', '--on', 'right', '--check', 'test -s a.txt');
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.match(run.stdout, /sent +to right\n/);
    assert.match(run.stdout, /taken +by critic on right, expected by/);
    const task = await left.task();
    const { remote } = task;
    assert.deepEqual(
      [task.status, remote?.direction, remote?.node, remote?.agent],
      ['done', 'sent', 'right', 'critic'],
    );
    const theirs = await right.task(remote?.theirTask ?? '');
    assert.deepEqual([theirs.status, theirs.remote?.direction, theirs.remote?.node], ['done', 'received', 'left']);
    assert.equal(theirs.remote?.uid, task.uid);
    assert.match((await left.run(['task', 'show', task.id])).stdout, /^\s*agent\s+critic$/m);
    const types = await right.typesOf(theirs.id);
    assert.ok(types.indexOf('task.received') < types.indexOf('run.launched'), types.join());
    const [create] = left.outbox('task_create');
    const [accept] = right.outbox('task_accept');
    assert.deepEqual([accept?.payload.taskId, accept?.corrId], [task.uid, create?.corrId]);
    assert.ok(typeof accept?.payload.etaAt === 'string');
  });

  test('every event about it is as the document has it, and processed comes with the end', () => {
    const kinds = right.outbox().map(({ kind, payload }) => (kind === 'ack' ? `ack ${payload.ackType}` : kind));
    const about = kinds.filter((kind) => kind.startsWith('task_') || kind === 'ack processed');
    assert.deepEqual(about, ['task_accept', 'task_update', 'task_complete', 'ack processed']);
    const receipts = left.rows<{ accepted_at: number; processed_at: number }>(
      "SELECT accepted_at, processed_at FROM receipts WHERE operation IN (SELECT operation FROM outbox WHERE kind = 'task_create')",
    );
    assert.ok(receipts.every(({ accepted_at: accepted, processed_at: processed }) => accepted > 0 && processed > 0));
  });

  test('each of these envelopes is valid', async () => {
    for (const [at, envelope] of [...left.outbox(), ...right.outbox()].entries()) {
      const file = join(left.workspace, `${at}.json`);
      writeFileSync(file, JSON.stringify(envelope));
      const run = await runBaton(['check', '--as', 'runtime', file]);
      assert.equal(run.status, 0, `${JSON.stringify(envelope)}\n${run.stdout}`);
    }
  });

  test('the exit code is that of a run here: 3 without checks, 1 where a check fails', async () => {
    assert.equal((await left.order('@demo write a.txt hello', '--on', 'critic')).status, 3);
    const failed = await left.order('@demo write a.txt hello', '--on', 'critic@right', '--check', 'test -s b.txt');
    assert.equal(failed.status, 1, failed.stdout);
    const task = await left.task();
    assert.equal(task.status, 'blocked');
    assert.match(task.reason ?? '', /test -s b\.txt/);
    const [end] = right.outbox('task_failed').slice(-1);
    assert.deepEqual([end?.payload.failureClass, end?.payload.failedByAgentId], ['execution_error', 'critic']);
  });

  test('targets that are nobody, and flags of this machine, are refused, and nothing is stored', async () => {
    const tasks = left.rows('SELECT id FROM tasks').length;
    const codeOf = async (...flags: string[]) => {
      const run = await left.order('do it', '--json', ...flags);
      assert.equal(run.status, 2, run.stdout);
      return linesOf<{ code: string }>(run)[0]?.code;
    };
    assert.equal(await codeOf('--on', 'nobody'), 'invalid_targets');
    assert.equal(await codeOf('--needs', 'cap.nothing'), 'capability_unavailable');
    assert.equal(await codeOf('--on', 'right', '--agent', 'emma'), 'invalid_argument');
    assert.equal(await codeOf('--on', 'right', '--worktree'), 'invalid_argument');
    assert.equal(left.rows('SELECT id FROM tasks').length, tasks);
  });

  test('an agent that its operator does not offer is not used', async () => {
    const run = await left.order('@demo write a.txt x', '--on', 'demo@right', '--json');
    assert.deepEqual([run.status, linesOf<{ code: string }>(run)[0]?.code], [2, 'invalid_targets']);
  });

  test('for this node itself is an order of its own', async () => {
    const run = await left.order('@demo write own.txt x', '--on', 'emma', '--check', 'test -s own.txt', '--yes');
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.equal((await left.task()).remote, null);
    assert.ok(existsSync(join(left.workspace, 'own.txt')));
  });

  test('that is stopped here is stopped there', async () => {
    const detached = await left.json<{ task: { id: string } }>(
      ...['run', '@demo hang', '--on', 'right', '--detach', '--workspace', left.workspace],
    );
    const { id } = detached.task;
    const running = await left.taskIs('in-progress', id);
    assert.match((await left.run(['status'])).stdout, /on right: (accepted|in progress), expected by/);
    await right.taskIs('in-progress', running.remote?.theirTask ?? '');
    await left.json('stop', id);
    const stopped = await left.taskIs('blocked', id);
    assert.match(stopped.reason ?? '', /stopped by operator/);
    const theirs = await right.taskIs('cancelled', running.remote?.theirTask ?? '');
    assert.equal(theirs.runs.at(-1)?.status, 'failed');
    const [end] = right.outbox('task_failed').slice(-1);
    assert.equal(end?.payload.failureClass, 'policy_blocked');
  });

  test('that is cancelled here before its end is stopped there, too', async () => {
    await left.json('run', '@demo hang', '--on', 'right', '--detach', '--workspace', left.workspace);
    const running = await left.taskIs('in-progress');
    await left.json('task', 'cancel', running.id);
    await right.taskIs('cancelled', running.remote?.theirTask ?? '');
    assert.equal((await left.task(running.id)).status, 'cancelled');
  });

  test('is called back after its deadline', async () => {
    const run = await left.order('@demo hang', '--on', 'right', '--deadline', '3s');
    assert.equal(run.status, 1, run.stdout);
    assert.match(run.stdout, /E_TIMEOUT|was not done by/);
    const theirs = (await left.task()).remote?.theirTask ?? '';
    await right.taskIs('cancelled', theirs);
  });

  test('can be created by baton task new and waits for its dependencies', async () => {
    const first = await left.newTask('first', '--no-review');
    const second = await left.newTask('@demo write b.txt x', '--on', 'right', '--depends-on', first.id, '--no-review');
    assert.deepEqual(
      [second.status, left.outbox('task_create').some((each) => each.payload.taskId === second.uid)],
      ['backlog', false],
    );
    for (const status of ['ready', 'in-progress', 'review', 'done']) await left.json('task', 'move', first.id, status);
    await left.taskIs('review', second.id);
    const [create] = left.outbox('task_create').slice(-1);
    assert.equal(create?.payload.taskId, second.uid);
  });

  test('can be handed in as a task_create of this node', async () => {
    const envelope = (changes: object, payload: object = {}) => ({
      eventId: 'evt_own_1',
      seq: 1,
      kind: 'task_create',
      sourceNodeId: 'left',
      sourceAgentId: 'emma',
      corrId: 'corr_own_1',
      createdAt: '2026-02-25T16:22:10.123Z',
      payload: {
        taskId: 'tsk_own',
        title: 'From a message',
        description: '@demo write c.txt x',
        toAgents: ['critic'],
        ...payload,
      },
      trace: { attempt: 1 },
      ...changes,
    });
    const sent = await left.send(envelope({}));
    assert.deepEqual([sent.verdict, sent.task?.title], ['accepted', 'From a message']);
    await left.taskIs('review', sent.task?.id);
    const [create] = left.outbox('task_create').slice(-1);
    assert.equal(create?.payload.requesterAgentId, 'emma');
    const again = await left.send(envelope({}));
    assert.equal(again.task?.id, sent.task?.id, 'the same event is the same task');
    assert.equal((await left.send(envelope({ sourceNodeId: 'right' }))).code, 'unauthorized_agent');
    assert.equal((await left.send(envelope({ eventId: 'e2', sourceAgentId: 'critic' }))).code, 'invalid_argument');
    const nowhere = await left.send(envelope({ eventId: 'e3' }, { toAgents: ['nobody'] }));
    assert.deepEqual([nowhere.code, nowhere.errors[0]?.path], ['invalid_targets', '/payload/toAgents']);
  });

  test('whose node was off goes on when it is back, and is done once', async () => {
    await left.json(
      'run',
      '@demo sleep 1500\n@demo append d.txt x',
      '--on',
      'right',
      '--detach',
      '--workspace',
      left.workspace,
    );
    const running = await left.taskIs('in-progress');
    right.kill();
    await right.up();
    await left.taskIs('review', running.id);
    const theirs = await right.task(running.remote?.theirTask ?? '');
    assert.equal(theirs.status, 'done');
    const ends = right.outbox('task_complete').filter((each) => each.payload.taskId === running.uid);
    assert.equal(ends.length, 1);
  });

  test('goes on there while its sender is off, and its result is here when the sender is back', async () => {
    await left.json(
      'run',
      '@demo sleep 500\n@demo write e.txt x',
      '--on',
      'right',
      '--detach',
      '--workspace',
      left.workspace,
    );
    const running = await left.taskIs('in-progress');
    left.kill();
    await eventually(
      () => right.task(running.remote?.theirTask ?? ''),
      ({ status }) => status === 'done',
      'its end there',
    );
    await left.up();
    await left.taskIs('review', running.id);
    assert.equal(
      left.rows(`SELECT 1 FROM run_facts WHERE task_id = '${running.id}' AND json_extract(fact, '$.kind') = 'answered'`)
        .length,
      1,
    );
  });
});
