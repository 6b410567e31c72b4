import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { SendAnswer } from '../../src/api/contract.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { TaskView } from '../../src/api/task/task-view.ts';
import { TASK_LABEL_CHARACTERS_MAX, TASK_REASON_CHARACTERS_MAX, TASK_TAGS_MAX } from '../../src/domain/limits.ts';
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts';
import { CLIENTS, report } from '../support/node/node-clients.ts';
import { taken } from '../support/taken.ts';

const LONG = 'x'.repeat(TASK_LABEL_CHARACTERS_MAX + 1);

function refusedAs(answer: unknown, code: string): Refusal {
  assert.ok(isRefusal(answer), 'it was not refused');
  assert.equal(answer.code, code);
  return answer;
}

async function newTask(client: NodeClient, title: string, more: object = {}): Promise<TaskView> {
  return taken(await client.createTask({ title, ...more }));
}

for (const [name, open] of Object.entries(CLIENTS)) {
  describe(`a node spoken to ${name}`, () => {
    test('a task is made with all that it was given, and shown', async () => {
      const { client } = await open();
      const parent = await newTask(client, 'The parent');
      const given = {
        body: 'a\r\nb ü 𝄞 \u2028',
        priority: 'high',
        agent: 'swe',
        role: 'dev',
        team: 't',
        resource: 'db',
      };
      const more = { tags: ['x', 'y'], parent: 'parent', dependsOn: ['1'], reviewRequired: false };
      const task = taken(await client.createTask({ title: 'Ünï', ...given, ...more } as never));
      assert.deepEqual({ ...task, ...given }, task);
      assert.equal(task.parentId, parent.id);
      assert.deepEqual(task.dependsOn, [parent.id]);
      assert.deepEqual(task.metadata, { reviewRequired: false });
      const shown = taken(await client.showTask({ task: 'Ünï' }));
      const own = {
        actions: ['cancel'],
        missingAgent: null,
        waitsFor: [parent.id],
        quota: null,
        remote: null,
        file: `tasks/backlog/${task.id}.md`,
        runs: [],
      };
      assert.deepEqual(shown, { ...task, reason: null, cause: null, ...own });
    });

    test('a task is found by every way of naming it', async () => {
      const { client } = await open();
      const task = await newTask(client, 'Repair a/b?c=d #1 100%');
      for (const reference of [task.id, task.id.toLowerCase(), task.uid, '1', '001', '@', 'a/b?c=d', '100%', ' @ ']) {
        assert.equal(taken(await client.showTask({ task: reference })).id, task.id, reference);
      }
      await newTask(client, 'Repair another');
      const refusal = refusedAs(await client.showTask({ task: 'repair' }), 'ambiguous_task');
      assert.equal(refusal.details?.length, 2);
    });

    test('names that mean no task are refused, never taken for something else', async () => {
      const { client } = await open();
      await newTask(client, 'One');
      for (const reference of ['', ' ', '.', '..', '../..', '%2e%2e', '/', 'nothing', '999', 'TASK-2026-02-09-9', '\\'])
        refusedAs(await client.showTask({ task: reference }), 'task_not_found');
    });

    test('lists come in pages, filtered', async () => {
      const { client } = await open();
      for (let at = 0; at < 7; at++) await newTask(client, `Task ${at}`, at % 2 ? { agent: 'odd' } : { parent: null });
      taken(await client.cancelTask({ task: 'task 6' }));
      const first = taken(await client.listTasks({ limit: 4 }));
      assert.deepEqual([first.tasks.length, first.next], [4, 4]);
      const second = taken(await client.listTasks({ limit: 4, after: first.next ?? 0 }));
      assert.deepEqual([second.tasks.length, second.next], [2, null]);
      assert.equal(taken(await client.listTasks({ all: true })).tasks.length, 7);
      assert.equal(taken(await client.listTasks({ all: false })).tasks.length, 6);
      assert.equal(taken(await client.listTasks({ agent: 'odd' })).tasks.length, 3);
      assert.equal(taken(await client.listTasks({ status: 'cancelled' })).tasks.length, 1);
      assert.equal(taken(await client.listTasks({ limit: 100_000 })).tasks.length, 6);
      await newTask(client, 'A child', { parent: 'task 1' });
      assert.equal(taken(await client.listTasks({ parent: 'task 1' })).tasks[0]?.title, 'A child');
      refusedAs(await client.listTasks({ parent: 'nobody' }), 'task_not_found');
    });

    test('a task is moved, cancelled, retried, edited and made to depend', async () => {
      const { client } = await open();
      const one = await newTask(client, 'One');
      const two = await newTask(client, 'Two');
      assert.equal(taken(await client.moveTask({ task: 'one', to: 'blocked', reason: 'waits' })).status, 'blocked');
      assert.equal(taken(await client.showTask({ task: 'one' })).reason, 'waits');
      refusedAs(await client.moveTask({ task: 'one', to: 'done' }), 'invalid_transition');
      assert.equal(taken(await client.moveTask({ task: 'one', to: 'ready' })).status, 'ready');
      assert.equal(taken(await client.moveTask({ task: 'one', to: 'deadletter', reason: '' })).status, 'deadletter');
      assert.equal(taken(await client.retryTask({ task: 'one' })).status, 'ready');
      const edited = taken(
        await client.editTask({ task: 'two', title: 'Zwei', agent: 'swe', tags: [], reason: 'better' }),
      );
      assert.deepEqual([edited.title, edited.agent, edited.revision], ['Zwei', 'swe', 2]);
      assert.equal(taken(await client.editTask({ task: 'zwei', agent: null })).agent, null);
      assert.deepEqual(taken(await client.dependTask({ task: two.id, on: [one.id] })).dependsOn, [one.id]);
      refusedAs(await client.dependTask({ task: one.id, on: [two.id] }), 'dependency_cycle');
      assert.equal(taken(await client.cancelTask({ task: two.id, reason: 'no' })).status, 'cancelled');
    });

    test('what is asked for wrongly is refused with the place of the fault', async () => {
      const { client } = await open();
      assert.equal(refusedAs(await client.createTask({ title: '' }), 'invalid_argument').path, '/title');
      assert.equal(refusedAs(await client.createTask({ title: 'a\nb' }), 'invalid_argument').path, '/title');
      const long = { title: 'x', body: 'y'.repeat(1_000_001) };
      assert.equal(refusedAs(await client.createTask(long), 'invalid_argument').path, '/body');
      assert.equal(refusedAs(await client.createTask({ title: 'x', agent: 'a b' }), 'invalid_argument').path, '/agent');
      for (const [field, value] of Object.entries({ role: LONG, team: LONG, resource: LONG, tags: [LONG] }))
        assert.equal(
          refusedAs(await client.createTask({ title: 'x', [field]: value }), 'invalid_argument').path,
          `/${field}`,
        );
      const tags = Array.from({ length: TASK_TAGS_MAX + 1 }, (_, at) => `tag-${at}`);
      assert.equal(refusedAs(await client.createTask({ title: 'x', tags }), 'invalid_argument').path, '/tags');
      refusedAs(await client.createTask({ title: 'x', parent: 'none' }), 'task_not_found');
      refusedAs(await client.createTask({ title: 'x', dependsOn: ['none'] }), 'task_not_found');
      refusedAs(await client.retryTask({ task: 'none' }), 'task_not_found');
    });

    test('a reason has its bound in every call that takes one, and nothing is changed beyond it', async () => {
      const { client } = await open();
      const { id } = await newTask(client, 'One');
      const reason = 'r'.repeat(TASK_REASON_CHARACTERS_MAX + 1);
      const refusals = [
        await client.editTask({ task: id, title: 'Two', reason }),
        await client.moveTask({ task: id, to: 'ready', reason }),
        await client.cancelTask({ task: id, reason }),
      ];
      for (const refusal of refusals) {
        const { path, message } = refusedAs(refusal, 'invalid_argument');
        assert.equal(path, '/reason');
        assert.match(message, /at most 2000 characters, not 2001; put longer text into the body/);
      }
      assert.equal(taken(await client.showTask({ task: id })).revision, 1);
      assert.equal(taken(await client.moveTask({ task: id, to: 'ready', reason: reason.slice(1) })).status, 'ready');
    });

    test('a claim, its beats and its end are bound to the run of the channel', async () => {
      const { client } = await open();
      const task = await newTask(client, 'One');
      const held = taken(await client.claimTask({ task: 'one', agent: 'swe', run: null }));
      assert.equal(held.task.status, 'in-progress');
      assert.equal(held.run.agent, 'swe');
      refusedAs(await client.claimTask({ task: 'one', agent: 'other', run: null }), 'already_claimed');
      refusedAs(await client.beatTask({ task: 'one', agent: 'other', run: null }), 'unauthorized_agent');
      refusedAs(await client.beatTask({ task: 'one', agent: 'swe', run: 'run_of_another' }), 'stale_run');
      const beaten = taken(await client.beatTask({ task: 'one', agent: 'swe', run: held.run.id }));
      assert.equal(beaten.run.beats, 1);
      refusedAs(await client.endTask({ task: 'one', agent: 'swe', run: 'run_of_another' }), 'stale_run');
      const ended = taken(await client.endTask({ task: task.id, agent: 'swe', run: held.run.id }));
      assert.deepEqual([ended.task.status, ended.run.status], ['ready', 'failed']);
      refusedAs(await client.beatTask({ task: 'one', agent: 'swe', run: null }), 'not_running');
    });

    test('a key makes a call once and for all', async () => {
      const { client } = await open();
      const first = taken(await client.createTask({ title: 'Once' }, { key: 'key-1' }));
      assert.deepEqual(taken(await client.createTask({ title: 'Once' }, { key: 'key-1' })), first);
      refusedAs(await client.createTask({ title: 'Other' }, { key: 'key-1' }), 'idempotency_key_reused');
      assert.equal(taken(await client.listTasks({})).tasks.length, 1);
      const moved = taken(await client.moveTask({ task: 'once', to: 'ready' }, { key: 'key-2' }));
      taken(await client.moveTask({ task: 'once', to: 'blocked' }));
      assert.deepEqual(taken(await client.moveTask({ task: 'once', to: 'ready' }, { key: 'key-2' })), moved);
      taken(await client.moveTask({ task: 'once', to: 'ready' }));
      const held = taken(await client.claimTask({ task: 'once', agent: 'swe', run: null }, { key: 'key-3' }));
      assert.deepEqual(
        taken(await client.claimTask({ task: 'once', agent: 'swe', run: null }, { key: 'key-3' })),
        held,
      );
      const sent = await client.send({ text: report(first.id, 'swe') }, { key: 'key-4' });
      assert.deepEqual(await client.send({ text: report(first.id, 'swe') }, { key: 'key-4' }), sent);
    });

    test('messages are applied, refused by state, malformed or foreign', async () => {
      const { client } = await open();
      const task = await newTask(client, 'One');
      taken(await client.claimTask({ task: 'one', agent: 'swe-backend', run: null }));
      const verdicts = async (text: string, run?: string) => {
        const answer: SendAnswer = await client.send(run === undefined ? { text } : { text, run });
        return [answer.verdict, answer.code];
      };
      assert.deepEqual(await verdicts(report(task.id), 'run_of_another'), ['refused', 'stale_run']);
      const applied = await client.send({ text: `AOF/1 ${report(task.id)}` });
      assert.equal(applied.verdict, 'accepted');
      assert.equal(applied.task?.id, task.id);
      assert.ok(applied.events.some(({ type }) => type === 'task.completed'));
      assert.deepEqual(await verdicts(report('TASK-2026-02-09-999')), ['refused', 'task_not_found']);
      assert.deepEqual(await verdicts(report(task.id, 'nobody')), ['refused', 'unauthorized_agent']);
      assert.deepEqual(await verdicts('{"protocol":"aof"}'), ['malformed', 'invalid_envelope']);
      assert.deepEqual(await verdicts('{'), ['malformed', 'invalid_json']);
      assert.deepEqual(await verdicts('{"what":"ever"}'), ['foreign', null]);
      assert.deepEqual(await verdicts('just text'), ['foreign', null]);
      assert.deepEqual(await verdicts(''), ['foreign', null]);
      assert.deepEqual(await verdicts(`AOF/1 "${'x'.repeat(10 * 1024 * 1024)}"`), ['malformed', 'payload_too_large']);
      const huge = await client.send({ text: `{"x":"${'y'.repeat(16 * 1024 * 1024)}"}` });
      assert.deepEqual([huge.verdict, huge.code, huge.errors.length], ['malformed', 'payload_too_large', 1]);
      assert.ok(huge.hint);
    });

    test('the log is read in pages, of all or of one task', async () => {
      const { client } = await open();
      await newTask(client, 'One');
      const two = await newTask(client, 'Two');
      taken(await client.moveTask({ task: 'two', to: 'ready' }));
      const all = taken(await client.listEvents({ after: 0 })).events;
      assert.deepEqual(
        all.map(({ eventId }) => eventId),
        [1, 2, 3],
      );
      assert.deepEqual(taken(await client.listEvents({ after: 1, limit: 1 })).events, all.slice(1, 2));
      assert.deepEqual(
        taken(await client.listEvents({ after: 0, task: 'two' })).events.map(({ taskId }) => taskId),
        [two.id, two.id],
      );
      const since = new Date(Date.now() + 86_400_000).toISOString();
      assert.deepEqual(taken(await client.listEvents({ after: 0, since })).events, []);
      refusedAs(await client.listEvents({ after: 0, task: 'none' }), 'task_not_found');
    });

    test('status counts, and names what runs, waits and needs a person', async () => {
      const { client, folder } = await open();
      await newTask(client, 'One');
      await newTask(client, 'Two');
      taken(await client.claimTask({ task: 'one', agent: 'swe', run: null }));
      taken(await client.moveTask({ task: 'two', to: 'blocked', reason: 'why' }));
      await newTask(client, 'Three');
      const status = taken(await client.status());
      assert.equal(status.data, folder);
      assert.deepEqual(status.counts, { backlog: 1, blocked: 1, 'in-progress': 1 });
      assert.deepEqual(
        [status.running[0]?.run?.agent, status.waiting[0]?.title, status.needsYou[0]?.reason],
        ['swe', 'Three', 'why'],
      );
    });

    test('the tree shows what was answered once it has settled, and is rebuilt', async () => {
      const { client, folder } = await open();
      const task = await newTask(client, 'One');
      await client.treeSettled({ tasks: [task.id] });
      assert.match(readFileSync(join(folder, `tasks/backlog/${task.id}.md`), 'utf8'), /One/);
      await client.treeSettled({ tasks: [] });
      const rebuilt = taken(await client.rebuild());
      assert.deepEqual([rebuilt.from, rebuilt.data, rebuilt.tasks], ['ledger', folder, 1]);
      await client.treeSettled();
    });

    test('a backup is written once, and over another only when told so', async () => {
      const { client, folder } = await open();
      await newTask(client, 'One');
      const file = `${folder}.copy.sqlite`;
      const backup = taken(await client.backup({ file }));
      assert.deepEqual([backup.file, backup.tasks, existsSync(file)], [file, 1, true]);
      refusedAs(await client.backup({ file }), 'file_exists');
      taken(await client.backup({ file, force: true }));
    });
  });
}
