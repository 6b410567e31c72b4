import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { HeldTask, TaskPage } from '../../src/api/contract.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import { ExternalStage, newKey, outcome, resultOf } from '../support/external/external-client.ts';
import { TestServer } from '../support/node/test-server.ts';
import { taken } from '../support/taken.ts';

// The life of an external agent over real HTTP, by a client that shares no code with Baton's own.

const WORK = ['task.read', 'task.claim', 'task.update', 'task.complete', 'status.read'];
let server: TestServer;

before(async () => {
  server = await TestServer.open();
});

async function enrolled(agent: string, scopes: readonly string[] = WORK): Promise<ExternalStage> {
  const stage = new ExternalStage(server.http.url, await newKey());
  const { invite } = taken(await server.client.createInvite({ agent, scopes: [...scopes] }));
  assert.equal(outcome(await stage.enrol(invite)), 'ok');
  return stage;
}

describe('an external agent', () => {
  test('takes part: it sees its tasks, claims one, reports, and its work waits for a person', async () => {
    const agent = await enrolled('outsider');
    const task = taken(
      await server.client.createTask({ title: 'Look at the sky', agent: 'outsider', reviewRequired: false }),
    );
    const { tasks } = resultOf<TaskPage>(await agent.invoke('task.list'));
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [task.id],
    );
    const { run } = resultOf<HeldTask>(await agent.invoke('task.claim', { task: task.id }));
    assert.equal(run.agent, 'outsider');
    assert.equal(outcome(await agent.invoke('task.beat', { task: task.id, run: run.id })), 'ok');
    assert.equal(outcome(await agent.invoke('task.update', { task: task.id, progress: 'half of it is blue' })), 'ok');
    const done = await agent.invoke('task.complete', {
      task: task.id,
      run: run.id,
      outcome: 'done',
      notes: 'all blue',
    });
    assert.equal(outcome(done), 'ok', JSON.stringify(done.body));
    const seen = taken(await server.client.showTask({ task: task.id }));
    assert.equal(seen.status, 'review');
    assert.match(seen.body, /half of it is blue/);
    assert.ok(!isRefusal(await server.client.approveReview({ task: task.id })));
  });
});
