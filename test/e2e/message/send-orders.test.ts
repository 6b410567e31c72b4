import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SendAnswer, StatusAnswer } from '../../../src/api/contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { RunStage, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';

const stage = await RunStage.alone('send-orders');
// One at a time, so that the order in which they are taken is seen.
stage.configure({ runs: { at_once: 1 } });
const { root } = stage.repository();

async function send(message: object): Promise<SendAnswer & { readonly exit: number | null }> {
  const run = await stage.data.run(['send', stage.write(message), '--json']);
  return { ...(linesOf<SendAnswer>(run)[0] as SendAnswer), exit: run.status };
}

function about(event: string, { session, task }: ReturnType<typeof taskFor>): object {
  const { session_id } = session;
  const header = { aop_version: '2.0.2-C', message_type: 'EVENT', event };
  return { ...header, session_id, task_id: task.task_id, timestamp: '2026-02-26T14:00:00Z' };
}

function escalation(message: ReturnType<typeof taskFor>, fields: object = {}): object {
  const why = { reason: 'the release waits', escalated_by: 'somebody else' };
  return { ...about('PRIORITY_ESCALATION', message), ...why, new_priority: 'CRITICAL', ...fields };
}

describe('AOP messages that are handed in', () => {
  test('a TASK is an order, an escalation moves it up, and a node carries out the most urgent first', async () => {
    const messages = [taskFor('completes', root), taskFor('completes', root)] as const;
    const [first, second] = [await send(messages[0]), await send(messages[1])];
    assert.deepEqual([first.exit, first.verdict, first.task?.status], [0, 'accepted', 'ready']);
    assert.equal(first.events[0]?.type, 'task.created');
    const again = await send(messages[0]);
    assert.deepEqual([again.exit, again.verdict, again.code], [2, 'refused', 'already_claimed']);

    const raised = await send(escalation(messages[1]));
    assert.deepEqual([raised.exit, raised.task?.id, raised.task?.priority], [0, second.task?.id, 'critical']);
    const [event] = raised.events;
    assert.deepEqual(
      [event?.type, event?.actor, event?.payload.reason],
      ['task.edited', 'operator', 'the release waits'],
    );
    const { waiting } = await stage.data.json<StatusAnswer>('status');
    assert.deepEqual(
      waiting.map(({ id }) => id),
      [second.task?.id, first.task?.id],
    );

    const node = await stage.startNode();
    await stage.data.run(['logs', first.task?.id ?? '', '-f']);
    const events = taken(await node.client.listEvents({ after: 0 })).events;
    const begun = events.filter(({ type }) => type === 'run.launched').map(({ taskId }) => taskId);
    assert.deepEqual(begun, [second.task?.id, first.task?.id]);
    const same = await send(messages[0]);
    assert.equal(same.verdict, 'accepted', 'what has ended may be ordered again');
  });

  test('by the name that Baton gave, too, and only where there is such a task', async () => {
    const task = await stage.data.json<{ id: string }>('task', 'new', '--title', 'By hand');
    const message = taskFor('completes', root);
    const raised = await send(escalation(message, { task_id: task.id, new_priority: 'HIGH' }));
    assert.deepEqual([raised.exit, raised.task?.id, raised.task?.priority], [0, task.id, 'high']);
    assert.equal((await send(escalation(message))).code, 'task_not_found');
    assert.equal((await send(escalation(message, { new_priority: null }))).code, 'E_SCHEMA_VALIDATION');
  });

  test('what may not be carried out is refused with its own code, and nothing is kept of it', async () => {
    const before = (await stage.data.json<StatusAnswer>('status')).counts;
    const nobody = await send(taskFor('nobody-here', root));
    assert.deepEqual([nobody.exit, nobody.verdict, nobody.code], [2, 'refused', 'E_AGENT_NOT_FOUND']);
    const nowhere = await send(taskFor('completes', '/no/such/folder'));
    assert.deepEqual([nowhere.exit, nowhere.verdict, nowhere.code], [2, 'refused', 'E_FILE_NOT_FOUND']);
    const wrong = await send({ ...taskFor('completes', root), surprise: true });
    assert.deepEqual([wrong.exit, wrong.verdict, wrong.code], [2, 'malformed', 'E_SCHEMA_VALIDATION']);
    assert.deepEqual((await stage.data.json<StatusAnswer>('status')).counts, before);
  });

  test('a beat needs a run that lives; a RESPONSE and what Baton says itself are not taken', async () => {
    const message = taskFor('completes', root);
    const task = await stage.data.json<{ id: string }>('task', 'new', '--title', 'Held');
    const heartbeat = { ...about('HEARTBEAT', message), task_id: task.id };
    assert.equal((await send(heartbeat)).code, 'not_running');
    await stage.data.run(['task', 'move', task.id, 'ready']);
    await stage.data.json('task', 'claim', task.id, '--agent', 'emma');
    const heard = await send(heartbeat);
    assert.deepEqual([heard.exit, heard.verdict, heard.task?.id], [0, 'accepted', task.id]);
    assert.equal((await send(about('ROLLBACK_INITIATED', message))).code, 'not_served');
  });
});
