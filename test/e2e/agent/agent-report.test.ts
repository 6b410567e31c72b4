import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { aofText } from '../../support/message/aof-text.ts';
import { RunStage, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const AGENT = 'speaks-for-itself';
const stage = await RunStage.up('agent-report');
const client = stage.daemon?.client ?? assert.fail('no node');

type Outcome = 'done' | 'blocked' | 'needs_review' | 'partial';

function payload(outcome: Outcome) {
  const blockers = outcome === 'blocked' ? ['no key', 'no desk'] : [];
  const tests = { total: 9, passed: 8, failed: 1 };
  return { outcome, summaryRef: 'outputs/mine.md', deliverables: ['a.ts'], tests, blockers, notes: 'as noted' };
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

async function play(says: object, ...flags: string[]) {
  const { root } = stage.repository();
  const run = await stage.run(taskFor(AGENT, root, { task: { objective: JSON.stringify(says) } }), ...flags);
  const task = await stage.task(run.own.task);
  const { events } = taken(await client.listEvents({ after: 0, task: task.id }));
  const result = json(join(stage.data.path, 'runs', task.id, 'run_result.json'));
  return { run, task, events, result, receipt: json(run.own.receipt ?? '') };
}

/** Status, exit code and final signal of an order whose one check passes, and of one whose check fails. */
const ENDS: Readonly<Record<Outcome, readonly [passed: string, failed: string]>> = {
  done: ['done 0 SUCCESS', 'blocked 1 FAILURE'],
  blocked: ['blocked 1 FAILURE', 'blocked 1 FAILURE'],
  needs_review: ['review 3 PARTIAL_SUCCESS', 'review 3 PARTIAL_SUCCESS'],
  partial: ['review 3 PARTIAL_SUCCESS', 'review 3 PARTIAL_SUCCESS'],
};

const CHANNELS: readonly ((text: string) => object)[] = [
  (text) => ({ print: [text] }),
  (text) => ({ print: [`AOF/1 ${text}`] }),
  (text) => ({ send: [text] }),
];

describe('a report that an agent of Baton sends itself', { skip: noBubblewrap }, () => {
  for (const [outcome, ends] of Object.entries(ENDS) as [Outcome, readonly [string, string]][]) {
    for (const [at, check] of ['true', 'false'].entries()) {
      test(`${outcome} beside the check ${check}: ${ends[at]}`, async () => {
        const say = CHANNELS[(at + outcome.length) % CHANNELS.length] ?? assert.fail();
        const text = aofText('completion.report', 'OWN', AGENT, payload(outcome));
        const { run, task, result, receipt } = await play(say(text), '--check', check);
        const signal = run.response.task_status.final_signal;
        assert.equal(`${task.status} ${run.exit} ${signal}`, ends[at], run.stdout);
        const { taskId: _, completedAt: __, handoffRef: ___, ...kept } = result;
        assert.deepEqual(kept, { agentId: AGENT, ...payload(outcome) }, 'as the agent wrote it');
        assert.deepEqual([receipt.verdict.signal, receipt.agentReport.outcome], [signal, outcome]);
        assert.deepEqual(receipt.agentReport.blockers, payload(outcome).blockers);
        assert.equal(receipt.checksAfter[0].result, check === 'true' ? 'passed' : 'failed');
      });
    }
  }

  test('one that is blocked is not tried again, and its blockers are the reason', async () => {
    const text = aofText('completion.report', 'OWN', AGENT, payload('blocked'));
    const { task, events } = await play({ print: [text] }, '--check', 'false');
    assert.equal(events.filter(({ type }) => type === 'run.launched').length, 1);
    const move = events.findLast(({ type }) => type === 'task.transitioned');
    assert.deepEqual([task.status, move?.actor], ['blocked', 'dispatcher']);
    assert.match(String(move?.payload.reason), /the agent reported that it is blocked: no key; no desk/);
  });

  test('without one the findings are Baton’s, and say so', async () => {
    const { result, events } = await play({}, '--check', 'true');
    assert.deepEqual([result.agentId, result.outcome], ['dispatcher', 'done']);
    const ended = events.find(({ type }) => type === 'run.ended');
    assert.deepEqual([ended?.actor, ended?.payload.status], ['dispatcher', 'completed']);
    const failed = await play({ answers: false, exit: 3 }, '--check', 'true');
    const lost = failed.events.findLast(({ type }) => type === 'run.ended');
    assert.deepEqual([lost?.actor, lost?.payload.status], ['dispatcher', 'failed']);
    assert.match(String(lost?.payload.reason), /E_PROCESS_CRASH/);
  });
});
