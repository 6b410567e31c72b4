import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { SendAnswer } from '../../../src/api/contract.ts';
import { aofText, statusText } from '../../support/message/aof-text.ts';
import { RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { completion } from '../../support/task/task-life.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const AGENT = 'speaks-for-itself';
const stage = await RunStage.up('self-approval');
const client = stage.daemon?.client ?? assert.fail('no node');

const APPROVAL = ['review', 'done', 'cancelled'].map((status) => statusText('OWN', AGENT, status));
const DONE = aofText('completion.report', 'OWN', AGENT, completion('done'));

/** The words of an agent that approves itself, by each channel of a run. */
const CHANNELS: Readonly<Record<string, object>> = {
  'lines with the prefix': { print: [...APPROVAL, DONE, ...APPROVAL].map((text) => `AOF/1 ${text}`) },
  'lines without a prefix': { print: [...APPROVAL, DONE, ...APPROVAL] },
  'its token': { send: [...APPROVAL, DONE, ...APPROVAL] },
  'the calls of its server': {
    send: [DONE],
    calls: ['/v1/tasks/OWN/end', '/v1/tasks/OWN/move', '/v1/tasks/OWN/cancel'],
  },
};

/** How the order ends without those words. */
const ENDS: Readonly<Record<string, { readonly says: object; readonly check: string[]; readonly status: string }>> = {
  'a failing check': { says: {}, check: ['--check', 'test -f never'], status: 'blocked' },
  'no check': { says: {}, check: [], status: 'review' },
  'a crash': { says: { answers: false, exit: 3 }, check: ['--check', 'true'], status: 'blocked' },
  'a passed check and --review': { says: {}, check: ['--check', 'test -f told.json', '--review'], status: 'review' },
};

async function play(says: object, ...flags: string[]) {
  const { root } = stage.repository();
  const task = taskFor(AGENT, root, { task: { objective: JSON.stringify(says) } });
  const run = await stage.run(task, ...flags);
  const told = JSON.parse(readFileSync(join(root, 'told.json'), 'utf8')) as readonly unknown[];
  const { events } = taken(await client.listEvents({ after: 0, task: run.own.task }));
  return { run, told, events, task: await stage.task(run.own.task), root };
}

type Played = Awaited<ReturnType<typeof play>>;

/** Exit code, RESPONSE, receipt and task tell the same story. */
function assertAgreed({ run, task, events }: Played, status: string): void {
  const exits = { done: [0], review: [0, 3], blocked: [1] }[status] ?? [];
  assert.equal(task.status, status, run.stdout);
  assert.ok(exits.includes(run.exit ?? -1), `exit ${run.exit}`);
  const { state, final_signal: signal } = run.response.task_status;
  assert.equal(state, status === 'blocked' ? 'FAILED' : 'COMPLETED');
  const receipt = JSON.parse(readFileSync(run.own.receipt ?? '', 'utf8')) as { verdict?: { signal: string } };
  assert.equal((receipt.verdict ?? receiptFacts(receipt)).signal, signal);
  const moves = events.filter(({ type }) => type === 'task.transitioned');
  assert.deepEqual(new Set(moves.map(({ actor }) => actor)), new Set(['dispatcher']), 'only Baton moved it');
}

function receiptFacts(receipt: object): { readonly signal: string } {
  return (receipt as { readonly facts: { readonly verdict: { readonly signal: string } } }).facts.verdict;
}

describe('an agent does not approve its own work', { skip: noBubblewrap }, () => {
  const channels = Object.entries(CHANNELS);
  for (const [at, [end, { says, check, status }]] of Object.entries(ENDS).entries()) {
    // Each end with two channels, each channel with two ends.
    for (const [channel, words] of [0, 1].flatMap((next) =>
      channels.slice((at + next) % channels.length).slice(0, 1),
    )) {
      test(`by ${channel}, with ${end}`, async () => {
        const played = await play({ ...words, ...says }, ...check);
        assertAgreed(played, status);
        if (channel === 'the calls of its server') assert.deepEqual(played.told.slice(1), [200, 403, 403]);
      });
    }
  }

  test('a status that it claims is in the work log, and the answer says that it was not applied', async () => {
    const { told, task, events } = await play({ send: APPROVAL }, '--check', 'true');
    for (const answer of told as readonly SendAnswer[]) {
      assert.deepEqual([answer.verdict, answer.code], ['accepted', null]);
      assert.deepEqual(
        answer.events.map(({ type, payload }) => payload.reason ?? type),
        ['protocol.message.received', 'task.logged', 'status_not_applied'],
      );
    }
    assert.equal(task.status, 'done', 'by its check');
    assert.match(task.body, /Status: cancelled \(claimed by speaks-for-itself, not applied\)/);
    assert.equal(events.filter(({ type, actor }) => type === 'task.logged' && actor === AGENT).length, 3);
  });

  test('after its order is over its worker cannot approve it; an operator and a reviewer can', async () => {
    const { run } = await play({}, '--review');
    const id = run.own.task;
    for (const text of [statusText(id, AGENT, 'done'), statusText(id, AGENT, 'cancelled')]) {
      assert.equal((await client.send({ text })).verdict, 'accepted');
      assert.equal((await stage.task(id)).status, 'review');
    }
    // A claim of its own after the order does not help either: the work was Baton's to check.
    for (const text of [
      statusText(id, AGENT, 'in-progress'),
      aofText('completion.report', id, AGENT, completion('done')),
    ])
      assert.equal((await client.send({ text })).verdict, 'accepted');
    taken(await client.endTask({ task: id, agent: AGENT }));
    assert.equal((await stage.task(id)).status, 'review');
    taken(await client.editTask({ task: id, agent: 'reviewer' }));
    assert.equal((await client.send({ text: statusText(id, 'reviewer', 'done') })).verdict, 'accepted');
    assert.equal((await stage.task(id)).status, 'done');
  });

  test('an order whose next attempt is due is not taken over by a report', async () => {
    const { root } = stage.repository();
    const task = taskFor('crashes', root, { execution_policy: { max_retries: 1, retry_backoff_seconds: [600] } });
    const started = stage.start(task);
    let id = '';
    await until(async () => {
      const { events } = taken(await client.listEvents({ after: 0, type: 'order.requeued' }));
      id = events.at(-1)?.taskId ?? '';
      return id !== '';
    });
    const text = aofText('completion.report', id, 'crashes', completion('done'));
    const answer = await client.send({ text });
    assert.deepEqual([answer.verdict, answer.code], ['refused', 'not_running']);
    assert.equal((await stage.task(id)).status, 'ready');
    taken(await client.cancelTask({ task: id }));
    await started.ended;
  });
});
