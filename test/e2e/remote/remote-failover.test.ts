import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { eventually, type JoinedNode, NodeStage, sees } from '../../support/federation/joined-nodes.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('remote-failover');
const AGENT = { critic: { driver: 'demo' } };

/** Declares a node dead, as another does 90 s after its last sign of life. */
function declareDead(name: string): void {
  const db = new DatabaseSync(join(stage.folder, 'shared', 'federation.sqlite'), { timeout: 5_000 });
  const sql =
    "UPDATE records SET value = json_set(value, '$.status', 'dead'), revision = revision + 1000 WHERE key = ?";
  db.prepare(sql).run(`nodes.${name}`);
  db.close();
}

describe('a task whose node is gone', { concurrency: 1, skip: noBubblewrap }, () => {
  let left: JoinedNode;
  let right: JoinedNode;
  let spare: JoinedNode;
  before(async () => {
    left = await stage.node('left');
    right = await stage.node('right', { agents: AGENT });
    spare = await stage.node('spare', { agents: AGENT });
    for (const node of [left, right]) await node.up();
    await sees(left, 'right');
  });

  test('is done by another node with the same agent', async () => {
    const words = '@demo sleep 4000\n@demo append made.txt once';
    await left.json(
      'run',
      words,
      '--on',
      'critic',
      '--detach',
      '--check',
      'test -s made.txt',
      '--workspace',
      left.workspace,
    );
    const running = await left.taskIs('in-progress');
    assert.equal(running.remote?.node, 'right');
    await right.taskIs('in-progress');
    right.kill();
    declareDead('right');
    await spare.up();
    const done = await left.taskIs('done', running.id);
    assert.equal(done.remote?.node, 'spare');
    const [first, second, third] = left.outbox('task_create');
    assert.deepEqual([second?.corrId, third], [first?.corrId, undefined]);
    assert.deepEqual([first?.trace.attempt, second?.trace.attempt], [1, 2]);
  });

  test('and does not begin again on the first node when that is back', async () => {
    const launches = () => right.rows("SELECT 1 FROM events WHERE type = 'run.launched'").length;
    const before = launches();
    await right.up();
    await eventually(
      () => right.task(),
      ({ status }) => status === 'cancelled',
      'its end there',
    );
    assert.equal(launches(), before);
    assert.deepEqual(left.rows("SELECT kind FROM incidents WHERE kind LIKE 'refused%'"), []);
    const answers = left.rows("SELECT 1 FROM run_facts WHERE json_extract(fact, '$.kind') = 'answered'");
    assert.equal(answers.length, 1);
  });
});
