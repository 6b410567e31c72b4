import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import type { OrderAnswer } from '../../../src/api/order/order-contract.ts';
import type { SessionView } from '../../../src/api/session/session-contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import {
  type OwnWords,
  orderRun,
  output,
  processesOf,
  type RefusedStart,
  RunStage,
  taskFor,
  until,
} from '../../support/run-stage.ts';
import { type Member, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const WORKS: Member = { agent: 'works-until-told', task: { expected_outputs: [output('a.txt')] } };

async function refusedBy(stage: RunStage, ...args: string[]): Promise<RefusedStart> {
  const ended = await stage.data.run([...args, '--json']);
  assert.equal(ended.status, 2, ended.stdout + ended.stderr);
  return linesOf<RefusedStart>(ended)[0] as RefusedStart;
}

describe('the rules of an order hold whoever gives it', { concurrency: 2, skip: noBubblewrap }, () => {
  test('a folder that an interrupted task keeps is refused to a session and to a continued task, too', async () => {
    const alone = await RunStage.alone('rules-left');
    const root = join(alone.folder, 'plain');
    mkdirSync(root);
    const words = ['run', '@demo write b.txt x', '--agent', 'demo', '--check', 'test -s b.txt', '--workspace', root];
    const before = orderRun(await alone.data.run([...words, '--yes', '--json']));
    assert.equal(before.exit, 0, before.stderr);
    const held = taskFor('works-until-told', root, { task: { expected_outputs: [output('a.txt')] } });
    const run = alone.start(held);
    await until(() => existsSync(join(root, 'work.pids')));
    run.child.kill('SIGKILL');
    await until(() => processesOf(held).length === 0);
    const file = new SessionStage(alone).write('tasks: [make it]\n', 'yaml');
    const flags = ['--agent', 'demo', '--workspace', root, '--yes'];
    assert.equal((await refusedBy(alone, 'session', 'run', file, ...flags)).code, 'resource_busy');
    const continued = await refusedBy(alone, 'continue', before.own.task, 'more', '--yes');
    assert.equal(continued.code, 'resource_busy');
    assert.match(continued.errors[0]?.message ?? '', /^TASK-\S+ was interrupted while it worked in /);
  });

  test('a task of a session that was told of a worktree gets one, although the workspace is free when it starts', async () => {
    const stage = await RunStage.up('rules-promised');
    const sessions = new SessionStage(stage);
    const [busy, other] = [stage.repository(), stage.repository()];
    const holder = stage.start(taskFor('works-until-told', busy.root, { task: WORKS.task ?? {} }));
    await until(() => 'work.pids' in busy.files());
    const tasks = sessionFor(busy.root, {
      one: { ...WORKS, root: other.root },
      two: { agent: 'completes', after: ['one'], task: { expected_outputs: [output('b.txt')] } },
    });
    const run = sessions.start(tasks);
    await until(() => 'work.pids' in other.files());
    busy.write('go', '');
    assert.equal((await holder.answered()).exit, 0);
    other.write('go', '');
    const { responses } = await run.answered();
    const { task_id, extensions } = responses.at(-1) ?? assert.fail();
    const own = (extensions as { readonly x_baton: OwnWords }).x_baton;
    assert.deepEqual([task_id, own.workplace], ['two', 'worktree']);
  });

  test('the sender of a continued TASK is told that its new agent does not read the version, and nothing of its own changes', async () => {
    const stage = await RunStage.up('rules-notes');
    stage.configure({ agents: { old: { ...stage.agent('reads-v1'), model: 'old', aop_versions_supported: ['1.x'] } } });
    const repository = stage.repository();
    repository.write('mine.txt', 'not committed');
    const failed = await stage.run(taskFor('crashes', repository.root));
    const unasked = (warnings: readonly string[] | null = []) =>
      (warnings ?? []).filter((text) => /^uncommitted/.test(text));
    assert.equal(unasked(failed.response.execution_summary?.warnings).length, 1);
    const going = await stage.data.run(['continue', failed.own.task, '--agent', 'old', '--json', '--events']);
    const { response, events } = orderRun(going);
    assert.deepEqual(
      events.filter(({ event }) => event === 'VERSION_FALLBACK').map(({ reason }) => reason),
      ['AGENT_LACKS_V2'],
      going.stdout,
    );
    assert.deepEqual(unasked(response.execution_summary?.warnings), []);
  });

  test('a session whose tasks cannot be admitted any more is not reopened, and says which one and why', async () => {
    const stage = await RunStage.up('rules-reopened');
    const sessions = new SessionStage(stage);
    stage.configure({ agents: { passing: { ...stage.agent('crashes'), model: 'passing' } } });
    const tasks = sessionFor(stage.repository().root, { one: { agent: 'passing' }, two: { agent: 'crashes' } });
    const { report } = await sessions.run(tasks);
    assert.equal(report.final_signal, 'FAILURE');
    stage.configure();
    const session = tasks[0]?.session.session_id ?? '';
    const refused = await refusedBy(stage, 'session', 'retry', session);
    assert.equal(refused.code, 'E_AGENT_NOT_FOUND');
    assert.match(refused.errors[0]?.message ?? '', /^one: no agent is named passing/);
    const { tasks: after } = await stage.data.json<SessionView>('session', 'show', session);
    assert.deepEqual(
      after.map(({ attempts, state }) => [attempts, state]),
      [
        [1, 'FAILED'],
        [1, 'FAILED'],
      ],
    );
  });

  test('a task is run and continued once for each key, however often it is asked for', async () => {
    const stage = await RunStage.up('rules-keys');
    const client = stage.daemon?.client ?? assert.fail();
    const repository = stage.repository();
    const { own } = await stage.run(taskFor('crashes', repository.root));
    const again = async () =>
      taken(await client.continueTask({ task: own.task, agent: 'works-until-told' }, { key: 'c' }));
    const first = await again();
    await until(() => 'work.pids' in repository.files());
    assert.deepEqual(await again(), first);
    repository.write('go', '');
    await until(async () => (await stage.task(own.task)).status !== 'in-progress');
    const made = await stage.data.newTask('by hand', '--check', 'true');
    const run = async () => taken(await client.runTask({ task: made.id, agent: 'completes' }, { key: 'r' }));
    const begun = await run();
    assert.deepEqual(
      [begun.task.status, begun.task.agent, begun.plan?.agent.name],
      ['ready', 'completes', 'completes'],
    );
    await until(async () => (await stage.task(made.id)).status === 'review');
    assert.deepEqual(await run(), begun);
    const other = await client.runTask({ task: made.id }, { key: 'r' });
    assert.ok('code' in other && other.code === 'idempotency_key_reused', JSON.stringify(other));
  });

  test('a session is not reopened while one of its tasks goes on by itself', async () => {
    const stage = await RunStage.up('rules-busy');
    const repository = stage.repository();
    const tasks = sessionFor(repository.root, { one: { agent: 'crashes' } });
    await new SessionStage(stage).run(tasks);
    const session = tasks[0]?.session.session_id ?? '';
    const [{ id = '' } = {}] = (await stage.data.json<SessionView>('session', 'show', session)).tasks;
    const client = stage.daemon?.client ?? assert.fail();
    const going = taken(await client.continueTask({ task: String(id), agent: 'works-until-told' })) as OrderAnswer;
    await until(() => 'work.pids' in repository.files());
    for (const verb of ['retry', 'continue']) {
      const refused = await refusedBy(stage, 'session', verb, session);
      assert.deepEqual(
        [refused.code, refused.errors[0]?.message],
        ['already_claimed', `one: ${going.task.id} is already running`],
      );
    }
    repository.write('go', '');
    await until(async () => (await stage.task(going.task.id)).status !== 'in-progress');
    const rounds = linesOf<EventView>(await stage.data.run(['events', '--json', '--task', going.task.id]));
    assert.equal(rounds.filter(({ type }) => type === 'order.admitted').length, 2);
  });
});
