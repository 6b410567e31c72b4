import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ANSWERED_NAMES, type AnsweredName, specOf } from '../../src/api/calls.ts';
import type { SendAnswer } from '../../src/api/contract.ts';
import { type AnyCall, callNamed, type NodeClient } from '../../src/api/node-client.ts';
import { SCHEMAS } from '../../src/api/schemas.ts';
import type { TaskView } from '../../src/api/task-view.ts';
import { TASK_LABEL_CHARACTERS_MAX, TASK_REASON_CHARACTERS_MAX, TASK_TAGS_MAX } from '../../src/domain/limits.ts';
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts';
import { findUnknownFields } from '../../src/protocols/unknown-fields.ts';
import { taken } from '../support/taken.ts';
import { completion, SENT_AT } from '../support/task-life.ts';
import { TestServer } from '../support/test-server.ts';

const LONG = 'x'.repeat(TASK_LABEL_CHARACTERS_MAX + 1);

interface Opened {
  readonly client: NodeClient;
  readonly folder: string;
  /** The calls made so far. */
  readonly called: ReadonlySet<string>;
}

/** Both ways of talking to a node; each opens a node of its own. */
const CLIENTS: Readonly<Record<string, () => Promise<Opened>>> = {
  'in process': async () => opened(await TestServer.open(), (server) => server.local),
  'over HTTP': async () => opened(await TestServer.open(), (server) => server.client),
};

function opened(server: TestServer, choose: (server: TestServer) => NodeClient): Opened {
  const called = new Set<string>();
  const client = new Proxy(choose(server), {
    get: (target, name) => {
      called.add(String(name));
      return ANSWERED_NAMES.includes(name as AnsweredName)
        ? checked(target, name as AnsweredName)
        : target[name as keyof NodeClient];
    },
  });
  return { client, folder: server.at.folder, called };
}

/** Every answer fits the schema that the table of calls names for it, without a field that the schema does not have. */
function checked(client: NodeClient, name: AnsweredName): AnyCall {
  return async (request, options) => {
    const answer = await callNamed(client, name)(request, options);
    if (isRefusal(answer)) return answer;
    const schema = SCHEMAS[specOf(name).answer];
    const parsed = schema.safeParse(answer);
    assert.ok(parsed.success, `${name}: ${parsed.error?.message}`);
    assert.deepEqual(findUnknownFields(schema, answer), [], name);
    return answer;
  };
}

function refusedAs(answer: unknown, code: string): Refusal {
  assert.ok(isRefusal(answer), 'it was not refused');
  assert.equal(answer.code, code);
  return answer;
}

async function newTask(client: NodeClient, title: string, more: object = {}): Promise<TaskView> {
  return taken(await client.createTask({ title, ...more }));
}

function report(taskId: string, fromAgent = 'swe-backend'): string {
  const head = { protocol: 'aof', version: 1, type: 'completion.report', taskId, fromAgent, toAgent: 'dispatcher' };
  return JSON.stringify({ ...head, sentAt: SENT_AT, payload: completion('done') });
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
      assert.deepEqual(taken(await client.listEvents({ after: 0, since: '2030-01-01T00:00:00Z' })).events, []);
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

test('one script has the same answers from both', async () => {
  const transcripts = [];
  for (const open of Object.values(CLIENTS)) {
    const { client, folder, called } = await open();
    transcripts.push(alike(await playScript(client, folder), folder));
    const missing = Object.keys((await TestServer.open()).local).filter((method) => !called.has(method));
    assert.deepEqual(missing, [], 'every call of the contract is in the script');
  }
  assert.deepEqual(transcripts[1], transcripts[0]);
});

/** The same story with the same words: ids are numbered as they come, for the mirror draws from them too. */
function alike(said: unknown, folder: string): unknown {
  const seen: string[] = [];
  const number = (id: string) => {
    if (!seen.includes(id)) seen.push(id);
    return `id-${seen.indexOf(id)}`;
  };
  const text = JSON.stringify(said)
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/(tsk|run|ses|inv)_\w{26}/g, number)
    // Both nodes make ids in the background too, so that their order differs.
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\b/g, number);
  // Sessions end by the clock of the machine, which the two nodes read at different times.
  const timed = text
    .replaceAll(/"ended_at":"[^"]+"/g, '"ended_at":""')
    .replaceAll(/("stop":"operator","completedAt"):"[^"]+"/g, '$1:""');
  return JSON.parse(timed.replaceAll(/"sha256":"\w+"/g, '"sha256":""'));
}

/** Every call of the contract, with answers and refusals. */
async function playScript(client: NodeClient, folder: string): Promise<unknown[]> {
  const said: unknown[] = [];
  const say = async (answer: Promise<unknown>) => said.push(await answer);
  await say(client.createTask({ title: 'One', tags: ['ü'], reviewRequired: true }, { key: 'a' }));
  await say(client.createTask({ title: 'Two', agent: 'bad name' }));
  await say(client.createTask({ title: 'Two', dependsOn: ['one'] }));
  await say(client.editTask({ task: 'two', body: 'lone \u{10ffff}', priority: 'critical' }));
  await say(client.claimTask({ task: 'two', agent: 'swe', run: null }));
  await say(client.claimTask({ task: 'one', agent: 'swe', run: null }, { key: 'b' }));
  await say(client.beatTask({ task: 'one', agent: 'swe', run: 'run_x' }));
  await say(client.beatTask({ task: 'one', agent: 'swe', run: null }));
  const [one] = said as TaskView[];
  for (const text of [report(one?.id ?? '', 'swe'), report('TASK-2026-02-09-900'), '{"protocol":"aof"}', '[1', '{}'])
    await say(client.send({ text, run: null }));
  await say(client.endTask({ task: 'one', agent: 'swe', run: null }));
  await say(client.moveTask({ task: 'one', to: 'done', reason: 'seen' }));
  await say(client.moveTask({ task: 'one', to: 'ready' }));
  await say(client.dependTask({ task: 'one', on: ['two'] }));
  await say(client.cancelTask({ task: 'two', reason: 'no' }));
  await say(client.retryTask({ task: 'two' }));
  await say(client.runTask({ task: 'two', agent: 'demo' }, { key: 'run' }));
  await say(client.carryTask({ task: 'two' }));
  await playOrders(client, say);
  await playFederation(client, say);
  await playExternal(client, say);
  await playSessions(client, say);
  await say(client.listTasks({ all: true, limit: 1 }));
  await say(client.showTask({ task: 'two' }));
  await say(client.showTask({ task: 't' }));
  await say(client.listEvents({ after: 0, limit: 100 }));
  await say(client.readTrace({ task: 'one', order: 'newest', limit: 3 }));
  await say(client.listPoints({ task: 'one' }));
  await say(client.previewRewind({ task: 'one', to: '1' }));
  await say(client.rewindTask({ task: 'one', to: '1', keep: true }));
  await say(client.treeSettled());
  await say(client.status());
  await say(steadyOverview(client));
  await say(client.search({ text: 'one' }));
  await say(client.search({ text: ' ' }));
  await say(client.listTasks({ text: 'o', order: 'newest', all: true, limit: 1 }));
  await say(client.listRuns({ task: 'one', live: false }));
  await say(client.listRuns({ task: 'none such' }));
  await say(client.listAgents());
  await say(client.describeApi());
  // Its code is a secret: what it says of itself is compared elsewhere.
  const link = taken(await client.createLink());
  await say(client.showLink({ link: link.id }));
  await say(firstFollowed(client));
  await say(Array.fromAsync(client.batch([{ call: 'showTask', request: { task: 'one' } }, { call: 'none such' }])));
  await say(client.rebuild());
  await say(client.clean({ dryRun: true }));
  await say(client.clean());
  await say(client.backup({ file: `${folder}.copy.sqlite` }));
  await say(client.backup({ file: `${folder}.copy.sqlite` }));
  await say(client.close());
  return said;
}

async function playExternal(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  await say(client.createInvite({ agent: 'scout', scopes: ['root'] }));
  await say(client.createInvite({ agent: 'scout', scopes: ['task.read'], ttlSeconds: 901 }));
  const made = taken(await client.createInvite({ agent: 'scout', scopes: ['task.read'] }));
  await say(Promise.resolve({ ...made, invite: '', url: '' }));
  await say(client.listInvites());
  await say(client.listExternalAgents({ all: true }));
  await say(client.revokeExternal({ who: 'scout' }));
  await say(client.revokeExternal({ who: 'scout' }));
  await say(client.readAudit({ verdict: 'refused', limit: 2 }));
}

/** This node is in no federation. */
async function playFederation(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  await say(client.nodeStatus());
  await say(client.nodeStatus({ now: true }));
  await say(client.nodeLinks({ all: true }));
  await say(client.dismissIncident({ incident: 'inc_0' }));
  await say(client.joinFederation({ transport: 'local', folder: 'not/whole' }));
  await say(client.leaveFederation());
  await say(client.trustNode({ node: 'left' }));
  await say(client.removeNode({ node: 'left' }));
  await say(client.sendMessage({ to: ['emma'], body: 'hello' }));
  await say(
    client.publishCapability({
      capabilityId: 'cap.x',
      version: '1',
      ownerAgentId: 'emma',
      executorSkillRef: { name: 's', version: '1' },
    }),
  );
  await say(client.listCapabilities({}));
  await say(client.showCapability({ capability: 'cap.x' }));
  await say(client.removeCapability({ capability: 'cap.x' }));
  await say(client.closeCapabilityReview({ review: 'rev_x' }));
  await say(client.sentMessages());
  await say(client.readMessages({ peek: true }));
  await say(client.replyMessage({ event: 'evt_0', body: 'hello' }));
}

async function firstFollowed(client: NodeClient): Promise<unknown> {
  const stopping = new AbortController();
  for await (const event of taken(await client.follow({ after: 0, type: 'task.*' }, stopping.signal))) {
    stopping.abort();
    return event;
  }
  return null;
}

/** Without the instants of the clock that orders are carried out by, which is the machine's. */
async function steadyOverview(client: NodeClient): Promise<unknown> {
  const { at: _at, spend, finished, needsYou, ...rest } = taken(await client.overview());
  return {
    ...rest,
    usd: spend.usd,
    finished: finished.map(({ id }) => id),
    needsYou: needsYou.map(({ kind }) => kind),
  };
}

/** A session of two tasks: refused, planned, taken once, looked at, stopped, taken up again. */
async function playSessions(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  const text = 'session: S 1\nagent: demo\ntasks: [{name: a, words: x}, {name: b, words: y, after: a}]\n';
  const request = { text, workspace: '/usr', budgetUsd: 5 };
  await say(client.planSession({ ...request, text: 'tasks: []' }));
  await say(client.planSession(request));
  await say(client.submitSession({ ...request, text: 'tasks: [{words: x, after: nobody}]' }));
  await say(client.submitSession(request, { key: 'session' }));
  await say(client.submitSession(request, { key: 'session' }));
  await say(client.submitSession(request));
  await say(client.listSessions({ limit: 5 }));
  for (const session of ['S 1', '@', 'none such', 'S/\u0000']) {
    await say(client.showSession({ session }));
    await say(client.carrySession({ session }));
    await say(client.sessionReport({ session }));
    await say(client.applySession({ session, branch: 'none', resolve: 'demo' }));
    await say(client.continueSession({ session }));
  }
  await say(client.stopSession({ session: 'S 1' }));
  await say(client.stopSession({ session: 'S 1' }));
  await say(client.retrySession({ session: 'S 1', atOnce: 1 }));
  await say(client.stopSession({ session: '@' }));
}

/** Nobody carries anything out here: what is asked for is planned, taken, looked at and stopped. */
async function playOrders(client: NodeClient, say: (answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
  const order = { text: 'write it down', workspace: '/usr', agent: 'demo', checks: ['true'], timeoutSeconds: 60 };
  await say(client.planOrder(order));
  await say(client.planOrder({ ...order, agent: 'nobody-at-all' }));
  await say(client.planOrder({ ...order, workspace: 'not/whole' }));
  await say(client.submitOrder({ ...order, checks: ['true | false'] }));
  await say(client.submitOrder(order, { key: 'order' }));
  await say(client.submitOrder(order, { key: 'order' }));
  for (const reference of ['write', 'one', 'none such']) {
    await say(client.planAgain({ task: reference }));
    await say(client.planRun({ task: reference, agent: 'demo' }));
    await say(client.planRun({ task: reference }));
    await say(client.runTask({ task: reference, checks: ['true'] }));
    await say(client.orderReport({ task: reference }));
    await say(client.readLog({ task: reference, after: 0 }));
    await say(client.diffWork({ task: reference }));
    await say(client.readEvidence({ task: reference }));
    await say(client.applyWork({ task: reference, branch: 'b' }));
    await say(client.discardWork({ task: reference }));
    await say(client.undoWork({ task: reference, keep: true }));
  }
  await say(client.verifyWork({ task: 'one' }));
  await say(client.stopOrder({ task: 'write' }));
  await say(client.stopOrder({ task: 'one' }));
  await say(client.continueTask({ task: 'one', text: 'Go on.' }));
  await say(client.sayWords({ task: 'one', text: 'Use b.' }));
  await say(client.sayWords({ task: 'nobody', text: 'Use b.' }));
  await say(client.sayWords({ task: 'one', text: ' ' }));
  await say(client.listQuestions());
  await say(client.listQuestions({ task: 'one' }));
  await say(client.listQuestions({ task: 'nobody' }));
  await say(client.answerQuestion({ task: 'one', answer: 'yes' }));
  await say(client.answerQuestion({ task: 'qst_0', answer: 'yes' }));
  await say(client.askFeedback({ agent: 'nobody-at-all', text: '{}', workspace: '/usr' }));
  await say(client.askFeedback({ agent: 'demo', text: '{}', workspace: 'usr' }));
  await say(client.askFeedback({ session: 'ses_0', text: '{}', workspace: '/usr' }));
  await say(client.beginFeedback({ text: 'a plan', workspace: '/usr', from: ['nobody-at-all'] }));
  await say(client.beginFeedback({ text: 'a plan', workspace: 'usr', from: [] }));
  await say(client.showFeedback({ feedback: 'fbk_0' }));
  await say(client.carryFeedback({ feedback: 'fbk_0' }));
  await say(client.beginReview({ task: 'no such task' }));
  await say(client.beginReview({ task: '@' }));
  await say(client.listFeedback({ task: '@' }));
  await say(client.decideFeedback({ feedback: 'fbk_0', round: 1, decisions: [] }));
  await say(client.stopFeedback({ feedback: 'fbk_0' }));
  await say(client.awaitFeedback({ session: 'ses_0', iteration: 1 }));
  await say(client.listAttention());
  await say(client.listAttention({ task: 'one' }));
  await say(client.agentStats());
  await say(client.dayReport({ since: '2999-02-09T00:00:00Z', until: '2999-02-10T00:00:00Z' }));
  await say(client.listAttention({ task: 'nobody' }));
  await say(client.approveReview({ task: 'write', message: 'good' }));
  await say(client.approveReview({ task: 'nobody' }));
  await say(client.returnReview({ task: 'one', message: 'once more', comments: [{ text: 'a', path: 'b', line: 1 }] }));
  await say(client.returnReview({ task: 'one' }));
}
