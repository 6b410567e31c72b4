import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { orderRun, output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

/** Puts a text into the ledger that no Baton accepts, as one that an older Baton accepted. */
function spoilText(dataFolder: string, task: string): void {
  const db = new DatabaseSync(join(dataFolder, 'ledger.sqlite'));
  const { changes } = db.prepare("UPDATE orders SET text = '{' WHERE task_id = ?").run(task);
  db.close();
  assert.equal(Number(changes), 1);
}

describe('a text that cannot be read any more', { skip: noBubblewrap }, () => {
  test('is retried by the order as it was accepted, and the RESPONSE says so', async () => {
    const stage = await RunStage.alone('run-unread-text');
    const { root } = stage.repository();
    const missing = { expected_outputs: [output('missing.txt')] };
    const first = await stage.run(taskFor('claims-success', root, { task: missing }));
    assert.equal(first.exit, 1);
    spoilText(stage.data.path, first.own.task);
    assert.equal((await stage.data.run(['task', 'retry', first.own.task])).status, 0);
    const second = orderRun(await stage.data.run(['run', first.own.task, '--json']));
    assert.equal(second.exit, 1);
    const told = JSON.stringify(second.response.execution_summary?.warnings);
    assert.match(told, /its text cannot be read any more \(E_PARSE_FAILURE: .*this round repeats the order/);
  });
});
