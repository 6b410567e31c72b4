import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../test/support/order/an-order.ts';
import { ELSEWHERE } from '../../test/support/run/an-execution.ts';
import { NEW_TASK, TaskLife } from '../../test/support/task/task-life.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertInbox } from '../ledger/statements/federation/inbox.ts';
import { restoreContent } from './content.ts';
import { submitSentOrder } from './sender/send-order.ts';

/** A node that has sent a task, and a function that takes a request for its files and returns what is put into the store again. */
async function sending() {
  const life = await TaskLife.open();
  const { ledger } = life.at;
  const order = anOrder({ remote: ELSEWHERE });
  const { task } = await life.do(submitSentOrder, { task: NEW_TASK, order, provenance: null });
  const sent = ledger.read.one('SELECT corr_id FROM sent_tasks WHERE task_id = ?', task.id);
  const ask = async (corrId: string, uid: string) => {
    const payload = { signal: 'task_content_missing', taskId: uid, holds: 'work' };
    const envelope = JSON.stringify({ kind: 'signal', sourceNodeId: 'right', corrId, payload });
    const eventId = `evt_${corrId}_${uid}`;
    const about = { source: 'right', corrId, kind: 'signal', payloadHash: eventId, attempt: 1, at: 0 } as const;
    const queue: Command<object, object> = (tx) => {
      insertInbox(tx, { eventId, ...about, envelope, isQueued: true, endedAs: null });
      return {};
    };
    await ledger.submit(queue, {});
    const restored: string[][] = [];
    await restoreContent({ ledger, content: { restore: async (...of) => void restored.push(of) } });
    return restored;
  };
  return { task, corrId: String(sent?.corr_id), ask };
}

test('files that the store has lost are put there again for a node that has a part in their task, once', async () => {
  const { task, corrId, ask } = await sending();
  assert.deepEqual(await ask(corrId, task.uid), [[task.id, 'work']]);
  assert.deepEqual(await ask('corr_other', task.uid), []);
  assert.deepEqual(await ask(corrId, 'tsk_other'), []);
});
