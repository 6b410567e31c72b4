import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { EventView, StatusAnswer } from '../../../src/api/contract.ts';
import { VENDORS, VendorStage } from '../../support/agent/vendor-stage.ts';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const FLAGS = ['--yes', '--check', 'grep right a.txt'];

interface Waiting {
  readonly verdict: string;
  readonly code: string;
  readonly task: string;
  readonly quota: { readonly account: string; readonly until: string };
}

describe('a vendor out of quota', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const vendor of VENDORS) {
    test(`ends a run of ${vendor} without a node with 75, and a later run goes on in its session`, async (t) => {
      const stage = new VendorStage(t);
      const words = `Fill a.txt.\n@${vendor} 1 write a.txt half\n@${vendor} 1 quota 4\n@${vendor} 2 write a.txt right`;
      const before = Date.now();
      const paused = await stage.baton('run', words, '--agent', vendor, ...FLAGS, '--retries', '0', '--json');
      assert.equal(paused.status, 75, paused.stderr);
      const [waiting] = linesOf<Waiting>(paused);
      assert.ok(waiting);
      assert.deepEqual([waiting.verdict, waiting.code], ['waiting', 'E_MODEL_UNAVAILABLE']);
      assert.match(waiting.quota.account, new RegExp(`^${vendor}:[0-9a-f]{8}$`));
      assert.ok(Date.parse(waiting.quota.until) >= before + 4_000, 'never before the reset');
      assert.equal(stage.repository.read('a.txt'), 'half\n');
      const shown = await stage.json<StatusAnswer>('status');
      assert.deepEqual(
        shown.waiting.map(({ id, status }) => [id, status]),
        [[waiting.task, 'ready']],
      );
      const [first] = await stage.events(waiting.task, 'run.quota_reached');
      assert.equal(first?.payload.account, waiting.quota.account);
      while (Date.now() < Date.parse(waiting.quota.until)) await setTimeout(100);
      const { exit, response, stderr } = orderRun(await stage.baton('run', waiting.task, '--yes', '--json'));
      assert.equal(exit, 0, stderr);
      assert.equal(response.timing?.retries_attempted, 0);
      assert.equal(stage.prompts(vendor).length, 1);
    });
  }

  test('says until when it waits, and what to type', async (t) => {
    const stage = new VendorStage(t);
    const { status: code, stdout } = await stage.baton(
      'run',
      'Do it.\n@claude 1 quota 7500',
      '--agent',
      'claude',
      ...FLAGS,
    );
    assert.equal(code, 75, stdout);
    assert.match(stdout, /out of quota +TASK-\S+ is waiting for quota of claude until /);
    assert.match(stdout, /next: baton up -d/);
    const again = await stage.baton('run', '1', '--yes');
    assert.equal(again.status, 75, again.stderr);
    const status = await stage.baton('status');
    assert.match(status.stdout, /waiting for quota of claude until [-\d: ]+ \(in 2 h/);
    // Another task of the same account does not start.
    const second = await stage.baton('run', 'Do more.', '--agent', 'claude', ...FLAGS);
    assert.equal(second.status, 75, second.stderr);
    assert.doesNotMatch(second.stdout, /started/);
    // An agent of another vendor does.
    const other = await stage.baton('run', 'Do more.\n@codex 1 write a.txt right', '--agent', 'codex', ...FLAGS);
    assert.equal(other.status, 0, other.stderr);
  });

  test('is waited for by a node, also by the next one after kill -9; one task tries first, then the others', async (t) => {
    const stage = new VendorStage(t);
    assert.equal((await stage.baton('up', '-d')).status, 0);
    t.after(() => stage.baton('down'));
    const detached = async (words: string) => {
      const flags = ['--agent', 'claude', '--yes', '--detach'];
      return (await stage.json<{ task: { id: string } }>('run', words, ...flags)).task.id;
    };
    const first = await detached('Fill a.txt.\n@claude 1 quota 8\n@claude 2 write a.txt right');
    const waits = await eventually(() => stage.events(first, 'order.requeued'));
    const others = [await detached('Fill b.txt.\n@claude 1 write b.txt x'), await detached('Fill c.txt.')];
    await eventually(() => stage.events(others[1] ?? '', 'order.requeued'));
    const { pid } = JSON.parse(readFileSync(join(stage.root, '.baton/node.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    assert.equal((await stage.baton('up', '-d')).status, 0);
    const reports = await Promise.all(
      [first, ...others].map((task) => eventually(() => stage.events(task, 'order.reported'))),
    );
    assert.equal(reports.length, 3);
    const all = linesOf<EventView>(await stage.baton('events', '--json'));
    const until = String(waits[0]?.payload.dueAt);
    const begun = all.filter(
      ({ type, timestamp }) => type === 'run.launched' && timestamp > String(waits[0]?.timestamp),
    );
    assert.equal(begun.length, 3);
    assert.ok(begun.every(({ timestamp }) => timestamp >= until));
    const [tried, ...rest] = begun;
    const served = all.find((event) => event.taskId === tried?.taskId && event.eventId > (tried?.eventId ?? 0));
    assert.ok(rest.every(({ eventId }) => eventId > (served?.eventId ?? Number.POSITIVE_INFINITY)));
  });
});

async function eventually<Value>(read: () => Promise<readonly Value[]>): Promise<readonly Value[]> {
  for (let tries = 0; tries < 200; tries++) {
    const found = await read();
    if (found.length > 0) return found;
    await setTimeout(200);
  }
  return assert.fail('it did not happen');
}
