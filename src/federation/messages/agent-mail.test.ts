import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertDelivery, insertInbox, updateInbox } from '../../ledger/statements/federation/inbox.ts';
import { untellRun } from '../../ledger/statements/federation/told-mail.ts';
import { AgentMailbox } from './agent-mail.ts';

function holder(runId: string, agent = 'critic'): RunHolder {
  return { taskId: 'TASK-2026-02-25-001' as TaskName, taskUid: 'tsk_1', runId, agent };
}

function stage() {
  const { ledger, clock } = openTestLedger();
  const write = (run: Command<object, object>) => ledger.submit(run, {});
  const arrive = (eventId: string, more: object = {}, { agent = 'critic', expiresAt }: Arriving = {}) =>
    write((tx) => {
      const own = { eventId, seq: 1, kind: 'message', sourceNodeId: 'vps', sourceAgentId: 'architect' };
      const payload = { toAgents: [agent], body: `body of ${eventId}`, ...more };
      const createdAt = '2026-02-25T16:00:00.000Z';
      const envelope = JSON.stringify({ ...own, createdAt, expiresAt, payload, trace: { attempt: 1 } });
      const row = { eventId, source: 'vps', kind: 'message', corrId: null, attempt: 1, payloadHash: eventId, envelope };
      insertInbox(tx, { ...row, at: 1, isQueued: false, endedAs: null });
      insertDelivery(tx, { eventId, agent, at: 1 });
      return {};
    });
  return { mailbox: new AgentMailbox(ledger), ledger, clock, write, arrive };
}

interface Arriving {
  readonly agent?: string;
  readonly expiresAt?: string;
}

test('a message is for one run alone, the critical one first', async () => {
  const { mailbox, arrive, ledger } = stage();
  await arrive('evt_1', { subject: 'Later', expectsReply: true });
  await arrive('evt_2', { priority: 'critical' });
  const mail = await mailbox.take(holder('run_1'), 'prompt');
  assert.deepEqual(
    mail.map(({ eventId, priority, expectsReply }) => [eventId, priority, expectsReply]),
    [
      ['evt_2', 'critical', false],
      ['evt_1', 'normal', true],
    ],
  );
  assert.deepEqual(await mailbox.take(holder('run_2'), 'prompt'), []);
  const [told, another] = ledger.read.tuples('SELECT DISTINCT told_run, told_by FROM deliveries');
  assert.deepEqual([told, another], [['run_1', 'prompt'], undefined]);
});

test('it reaches its recipient by the bare name and by the name with the node, and nobody else', async () => {
  const { mailbox, arrive } = stage();
  await arrive('evt_1', {}, { agent: 'critic@right' });
  await arrive('evt_2', {}, { agent: 'critical' });
  await arrive('evt_3', {}, { agent: 'right' });
  const mail = await mailbox.take(holder('run_1'), 'prompt');
  assert.deepEqual(
    mail.map(({ eventId }) => eventId),
    ['evt_1'],
  );
});

test('what a run was given that never began is for the next one', async () => {
  const { mailbox, arrive, write } = stage();
  await arrive('evt_1');
  await mailbox.take(holder('run_1'), 'prompt');
  await write((tx) => {
    untellRun(tx, 'run_1', 'prompt');
    return {};
  });
  assert.equal((await mailbox.take(holder('run_2'), 'prompt')).length, 1);
});

test('what could not be told into a turn is put back', async () => {
  const { mailbox, arrive } = stage();
  await arrive('evt_1');
  const mail = await mailbox.take(holder('run_1'), 'stream');
  await mailbox.putBack(holder('run_1'), mail);
  assert.equal((await mailbox.take(holder('run_2'), 'prompt')).length, 1);
});

test('a message that has expired or was answered reaches no session', async () => {
  const { mailbox, arrive, write } = stage();
  await arrive('evt_1', {}, { expiresAt: '2020-01-01T00:00:00.000Z' });
  await arrive('evt_2');
  await write((tx) => {
    updateInbox(tx, { eventId: 'evt_2', isQueued: false, endedAs: 'processed' });
    return {};
  });
  assert.deepEqual(await mailbox.take(holder('run_1'), 'prompt'), []);
});
