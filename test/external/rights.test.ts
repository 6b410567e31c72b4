import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { HeldTask, TaskDetail, TaskPage } from '../../src/api/contract.ts';
import { OPERATIONS, type OperationName } from '../../src/domain/external/external-agent.ts';
import { scratchFolder } from '../support/data-folder.ts';
import { type ExternalStage, outcome, resultOf } from '../support/external/external-client.ts';
import { ALL_SCOPES, ExternalDaemon } from '../support/external/external-daemon.ts';
import { taken } from '../support/taken.ts';

// What an external agent may do: by the scopes of its enrolment, in its own name, about its own tasks.

const scratch = scratchFolder('external-rights');
const node = await ExternalDaemon.start(join(scratch, 'data'));
const agent = await node.enrol('outsider');
const OTHERS = taken(await node.client.createTask({ title: 'Of another', agent: 'emma' }));
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

async function ownTask(title: string, more: { readonly reviewRequired?: boolean } = {}): Promise<string> {
  return taken(await node.client.createTask({ title, agent: 'outsider', ...more })).id;
}

async function statusOf(task: string): Promise<string> {
  return taken(await node.client.showTask({ task })).status;
}

/** Arguments with which each operation can be made. */
const GIVEN: Readonly<Record<OperationName, object>> = {
  'status.read': {},
  'message.read': {},
  'message.send': { to: ['emma'], body: 'hello' },
  'message.reply': { event: 'evt_1', body: 'hello' },
  'task.list': {},
  'task.read': { task: OTHERS.id },
  'task.claim': { task: OTHERS.id },
  'task.beat': { task: OTHERS.id },
  'task.release': { task: OTHERS.id },
  'task.update': { task: OTHERS.id, progress: 'x' },
  'task.complete': { task: OTHERS.id, outcome: 'done' },
  'admin.agents': {},
  'admin.audit': {},
  'admin.revoke': { who: 'nobody' },
};

describe('scopes', () => {
  for (const scope of ALL_SCOPES) {
    test(`${scope} allows its own operations and no others`, async () => {
      const narrow = await node.enrol(`only-${scope}`, [scope]);
      for (const [name, { scope: needed }] of Object.entries(OPERATIONS)) {
        const answer = await narrow.invoke(name, GIVEN[name as OperationName]);
        const isDeniedByScope = /needs the scope/.test(answer.body.error?.message ?? '');
        assert.equal(isDeniedByScope, needed !== scope, `${name}: ${JSON.stringify(answer.body)}`);
        if (isDeniedByScope) assert.deepEqual([answer.status, outcome(answer)], [403, 'scope_denied']);
      }
    });
  }

  test('an unknown operation is denied, and nothing that a client says widens its scopes', async () => {
    for (const operation of ['', 'task.cancel', 'createTask', 'approveReview', 'admin', '__proto__', 'task.*'])
      assert.equal(outcome(await agent.invoke(operation)), 'scope_denied', operation);
    const narrow = await node.enrol('narrow', ['status.read']);
    const body = { operation: 'admin.audit', arguments: {}, scope: 'admin', scopes: ALL_SCOPES };
    assert.equal(outcome(await narrow.call('/v1/external/invoke', body, { token: narrow.access })), 'invalid_argument');
    const headers = { 'x-scopes': 'admin', scope: 'admin' };
    assert.equal(outcome(await narrow.invoke('admin.audit', {}, { headers })), 'scope_denied');
    assert.equal(outcome(await narrow.invoke('status.read', {}, { claims: { scope: 'admin' } })), 'ok');
  });

  test('arguments are judged: unknown fields, other kinds, words in the place of a name', async () => {
    const task = await ownTask('Judged');
    for (const [operation, given] of [
      ['task.claim', { task, agent: 'emma' }],
      ['task.claim', {}],
      ['task.read', { task: 7 }],
      ['task.list', { agent: 'emma' }],
      ['message.send', { to: ['emma'], body: 'x', from: 'emma' }],
      ['task.complete', { task, outcome: 'approved' }],
      ['task.update', { task, status: 'finished' }],
      ['task.update', { task, status: 'deadletter' }],
    ] as const)
      assert.equal(
        outcome(await agent.invoke(operation, given)),
        'invalid_argument',
        `${operation} ${JSON.stringify(given)}`,
      );
    for (const name of ['@', '1', 'Judged', 'judged', '', '../etc', task.toLowerCase()])
      assert.equal(outcome(await agent.invoke('task.read', { task: name })), 'task_not_found', name);
  });
});

describe('context tokens', () => {
  async function context(given: object, stage: ExternalStage = agent) {
    return await stage.call('/v1/external/context', given, { token: stage.access });
  }

  test('are for one task, at most five minutes, with no more scopes than the agent has', async () => {
    const [task, second] = [await ownTask('In context'), await ownTask('Out of context')];
    const made = await context({ task, scopes: ['task.read', 'task.claim'] });
    assert.equal(made.status, 201);
    const {
      access_token: token = '',
      expires_in: seconds,
      task: named,
      refresh_token: none,
    } = made.body as Record<string, string>;
    assert.deepEqual([Number(seconds), named, none], [300, task, undefined]);
    const ask = async (operation: string, given: object) => outcome(await agent.invoke(operation, given, { token }));
    assert.equal(await ask('task.read', { task }), 'ok');
    assert.equal(await ask('task.claim', { task }), 'ok');
    for (const [operation, given] of [
      ['task.read', { task: second }],
      ['task.claim', { task: second }],
      ['task.update', { task, progress: 'x' }],
      ['task.list', {}],
      ['status.read', {}],
      ['message.read', {}],
      ['admin.audit', {}],
    ] as const)
      assert.equal(await ask(operation, given), 'scope_denied', operation);
    const again = await agent.call('/v1/external/context', { task }, { token });
    assert.equal(outcome(again), 'scope_denied', 'a context token makes no other');
  });

  test('are refused for more than the agent has', async () => {
    const task = await ownTask('Too much');
    assert.equal(outcome(await context({ task, seconds: 301 })), 'invalid_argument');
    assert.equal(outcome(await context({ task, scopes: ['root'] })), 'scope_denied');
    assert.equal(outcome(await context({ task: 'TASK-2020-01-01-001' })), 'task_not_found');
    const narrow = await node.enrol('narrow-context', ['task.read']);
    assert.equal(outcome(await context({ task, scopes: ['task.complete'] }, narrow)), 'scope_denied');
    const without = await node.enrol('no-tasks', ['status.read']);
    assert.equal(outcome(await context({ task }, without)), 'scope_denied');
  });
});

describe('an external agent', () => {
  test('sees tasks that are its own or wait for anybody, and no others', async () => {
    const own = await ownTask('Seen');
    const free = taken(await node.client.createTask({ title: 'Of nobody' })).id;
    const listed = async (given: object) =>
      resultOf<TaskPage>(await agent.invoke('task.list', given)).tasks.map(({ id }) => id);
    assert.ok((await listed({})).includes(own));
    assert.ok(!(await listed({})).includes(OTHERS.id));
    assert.deepEqual(await listed({ unassigned: true }), [free]);
    assert.equal(resultOf<TaskDetail>(await agent.invoke('task.read', { task: free })).title, 'Of nobody');
    assert.equal(outcome(await agent.invoke('task.read', { task: OTHERS.id })), 'scope_denied');
    const status = JSON.stringify((await agent.invoke('status.read')).body);
    assert.ok(!status.includes('Of another') && !status.includes(scratch), status);
  });

  test('touches no task of another agent, and none without a lease', async () => {
    for (const operation of ['task.claim', 'task.beat', 'task.release', 'task.update', 'task.complete'] as const) {
      const answer = outcome(await agent.invoke(operation, GIVEN[operation]));
      assert.match(answer, /^(unauthorized_agent|scope_denied|not_running)$/, operation);
    }
    assert.match(await statusOf(OTHERS.id), /^(backlog|ready)$/);
    const own = await ownTask('Not claimed');
    assert.equal(outcome(await agent.invoke('task.complete', { task: own, outcome: 'done' })), 'stale_run');
    assert.equal(outcome(await agent.invoke('task.beat', { task: own })), 'not_running');
    assert.match(await statusOf(own), /^(backlog|ready)$/);
  });

  test('ends no work that a person did not look at, whatever it says and however the task was made', async () => {
    for (const reviewRequired of [true, false]) {
      const task = await ownTask('Claims to be done', { reviewRequired });
      const { run } = resultOf<HeldTask>(await agent.invoke('task.claim', { task }));
      for (const status of ['done', 'cancelled'])
        assert.equal(
          outcome(await agent.invoke('task.update', { task, status })),
          'ok',
          'it is an entry of the work log',
        );
      assert.equal(await statusOf(task), 'in-progress');
      assert.equal(outcome(await agent.invoke('task.complete', { task, run: run.id, outcome: 'done' })), 'ok');
      assert.equal(await statusOf(task), 'review');
      for (const given of [
        { task, status: 'done' },
        { task, run: run.id, status: 'done' },
      ])
        assert.equal(outcome(await agent.invoke('task.update', given)), 'stale_run');
      assert.equal(await statusOf(task), 'review');
    }
  });

  test('holds a task by its lease: an earlier run reports no more', async () => {
    const task = await ownTask('Leased');
    const first = resultOf<HeldTask>(await agent.invoke('task.claim', { task })).run;
    assert.equal(outcome(await agent.invoke('task.claim', { task })), 'already_claimed');
    assert.equal(outcome(await agent.invoke('task.release', { task, run: first.id })), 'ok');
    const second = resultOf<HeldTask>(await agent.invoke('task.claim', { task })).run;
    assert.ok(second.fence > first.fence);
    for (const operation of ['task.beat', 'task.update', 'task.complete', 'task.release'] as const) {
      const given = {
        task,
        run: first.id,
        ...(operation === 'task.complete' && { outcome: 'done' }),
        ...(operation === 'task.update' && { progress: 'x' }),
      };
      assert.equal(outcome(await agent.invoke(operation, given)), 'stale_run', operation);
    }
    assert.equal(outcome(await agent.invoke('task.beat', { task, run: second.id })), 'ok');
  });

  test('leaves no secret in what it says', async () => {
    const task = await ownTask('Masked');
    resultOf<HeldTask>(await agent.invoke('task.claim', { task }));
    assert.equal(outcome(await agent.invoke('task.update', { task, progress: `the key is ${SECRET}` })), 'ok');
    const complete = { task, outcome: 'blocked', notes: `use ${SECRET}`, blockers: [SECRET] };
    assert.equal(outcome(await agent.invoke('task.complete', complete)), 'ok');
    const stored = JSON.stringify([
      taken(await node.client.showTask({ task })),
      taken(await node.client.listEvents({ task })),
      taken(await node.client.readAudit({})),
    ]);
    assert.ok(!stored.includes(SECRET));
    assert.match(stored, /REDACTED/);
  });

  test('as an admin reads the audit and revokes, and invites nobody', async () => {
    const victim = await node.enrol('victim');
    const { agents } = resultOf<{ agents: { agent: string }[] }>(await agent.invoke('admin.agents'));
    assert.ok(agents.some((each) => each.agent === 'victim'));
    assert.equal(outcome(await agent.invoke('admin.revoke', { who: 'victim' })), 'ok');
    assert.equal(outcome(await victim.invoke('status.read')), 'invalid_access_token');
    const [revoked] = taken(await node.client.listEvents({ type: 'external.revoked', session: victim.session })).events;
    assert.equal(revoked?.actor, 'outsider');
  });
});

describe('messages', () => {
  test('are sent and read in the name of the agent, with the correlation of the audit', async () => {
    const shared = join(scratch, 'shared');
    writeFileSync(
      join(node.folder, 'config.yaml'),
      JSON.stringify({ agents: { emma: { driver: 'process', command: ['true'] } } }),
    );
    taken(await node.client.joinFederation({ transport: 'local', folder: shared, node: 'here' }));
    const sent = await agent.invoke('message.send', { to: ['emma'], subject: 'Hi', body: `with ${SECRET}` });
    const { envelope } = resultOf<{ envelope: Record<string, unknown> }>(sent);
    assert.deepEqual(
      [envelope.sourceAgentId, envelope.corrId],
      ['outsider', (sent.body as Record<string, unknown>).corrId],
    );
    assert.ok(!JSON.stringify(taken(await node.client.readMessages({ agent: 'emma', all: true }))).includes(SECRET));
    const ours = taken(await node.client.sendMessage({ to: ['outsider'], from: 'emma', body: 'and you?' }));
    const { messages } = resultOf<{ messages: { eventId: string; payload: { body: string } }[] }>(
      await agent.invoke('message.read'),
    );
    assert.deepEqual(
      messages.map(({ payload }) => payload.body),
      ['and you?'],
    );
    const reply = await agent.invoke('message.reply', { event: ours.envelope.eventId, body: 'fine' });
    assert.equal(outcome(reply), 'ok');
    assert.equal((reply.body as Record<string, unknown>).corrId, ours.envelope.corrId);
    const forOthers = taken(await node.client.sendMessage({ to: ['emma'], from: 'here', body: 'not for you' }));
    assert.equal(
      outcome(await agent.invoke('message.reply', { event: forOthers.envelope.eventId, body: 'x' })),
      'invalid_argument',
    );
    assert.deepEqual(resultOf<{ messages: unknown[] }>(await agent.invoke('message.read')).messages, []);
  });
});
