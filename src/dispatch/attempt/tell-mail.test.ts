import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../../test/support/task/task-life.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { AgentMailbox } from '../../federation/messages/agent-mail.ts';
import { insertDelivery, insertInbox } from '../../ledger/statements/federation/inbox.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { AgentInput } from './talk.ts';
import { mailTeller } from './tell-mail.ts';

async function stage() {
  const life = await TaskLife.open();
  const { id, run } = await life.claimed({}, 'critic');
  const { ledger } = life.at;
  const mail = new AgentMailbox(ledger);
  const holder: RunHolder = { taskId: id, taskUid: 'tsk_1', runId: run.id, agent: 'critic' };
  const arrive = (eventId: string) =>
    ledger.submit((tx: Tx) => {
      const own = { eventId, seq: 1, kind: 'message', sourceNodeId: 'vps', sourceAgentId: 'architect' };
      const payload = { toAgents: ['critic'], body: 'Look here.', priority: 'critical', expectsReply: true };
      const envelope = JSON.stringify({ ...own, payload, createdAt: '2026-02-25T16:00:00Z', trace: { attempt: 1 } });
      const row = { eventId, source: 'vps', kind: 'message', corrId: null, attempt: 1, payloadHash: eventId, envelope };
      insertInbox(tx, { ...row, at: 1, isQueued: false, endedAs: null });
      insertDelivery(tx, { eventId, agent: 'critic', at: 1 });
      return {};
    }, {});
  return { mail, holder, arrive };
}

test('a running agent is told each message once, with its priority and that it expects a reply', async () => {
  const { mail, holder, arrive } = await stage();
  const told: AgentInput[] = [];
  const tellMail = mailTeller(mail, { holder, tell: (input) => told.push(input) > 0 });
  await tellMail();
  assert.equal(told.length, 0, 'nothing has come');
  await arrive('evt_1');
  await tellMail();
  await tellMail();
  const texts = told.map((input) => (input.kind === 'words' ? input.text : input.kind));
  assert.equal(texts.length, 1);
  assert.match(texts[0] ?? '', /critical message evt_1 from architect on vps, expects a reply/);
  assert.deepEqual(await mail.take({ ...holder, runId: 'run_next' }, 'prompt'), [], 'the next prompt has it no more');
});

test('a message that could not be told comes with the next prompt', async () => {
  const { mail, holder, arrive } = await stage();
  await arrive('evt_1');
  const tellMail = mailTeller(mail, { holder, tell: () => false });
  await tellMail();
  await tellMail();
  assert.equal((await mail.take({ ...holder, runId: 'run_next' }, 'prompt')).length, 1);
});
