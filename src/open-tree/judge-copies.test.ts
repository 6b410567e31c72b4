import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../test/support/an-order.ts';
import { NEW_TASK } from '../../test/support/task-life.ts';
import { TestOpenTree } from '../../test/support/test-open-tree.ts';
import type { SandboxName } from '../domain/execution/findings.ts';
import { leaseOrder } from '../operations/lease-order.ts';
import { submitOrder } from '../operations/order-rounds.ts';

/** A tree with a task in review, one in ready, and an order that an agent runs. */
async function given(sandbox: SandboxName) {
  const tree = TestOpenTree.started();
  const { life } = tree;
  const admitted = {
    kind: 'admitted',
    agent: 'emma',
    alternatives: [],
    sandbox,
    warnings: [],
    fallback: null,
  } as const;
  const { task } = await life.do(submitOrder, { task: NEW_TASK, order: anOrder(), admitted, provenance: null });
  await life.do(leaseOrder, { taskId: task.id, agent: 'emma', alternative: null });
  const [review, ready] = [await life.inStatus('review'), await life.inStatus('ready')];
  await tree.look();
  return { tree, life, ordered: task.id, review, ready };
}

/** Each is what an agent would write to approve itself, and what a person may write. */
type Stage = Awaited<ReturnType<typeof given>>;

const WRITES: Readonly<Record<string, (here: Stage) => void>> = {
  'a file moved to done': ({ tree, review }) => tree.rename(`tasks/review/${review}.md`, `tasks/done/${review}.md`),
  'a status line': ({ tree, ready }) => tree.edit(`tasks/ready/${ready}.md`, 'status: ready', 'status: blocked'),
  'the review of an order': ({ tree, ordered }) =>
    tree.edit(
      `tasks/in-progress/${ordered}.md`,
      'priority: normal\n',
      'priority: normal\nmetadata:\n  reviewRequired: false\n',
    ),
  'the file of an order moved to review': ({ tree, ordered }) =>
    tree.rename(`tasks/in-progress/${ordered}.md`, `tasks/review/${ordered}.md`),
};

for (const [what, write] of Object.entries(WRITES)) {
  test(`${what} counts while agents run in a sandbox, and is put back while one runs without`, async () => {
    for (const sandbox of ['bubblewrap', 'none'] as const) {
      const here = await given(sandbox);
      const { tree, life, ordered, review, ready } = here;
      const before = [ordered, review, ready].map((id) => life.task(id));
      const { lastSeq } = tree;
      write(here);
      await tree.look();
      const happened = tree.happened(lastSeq);
      assert.equal(happened.includes('tree.edit.rejected by dispatcher'), sandbox === 'none', happened.join());
      if (sandbox === 'none')
        assert.deepEqual(
          [ordered, review, ready].map((id) => life.task(id)),
          before,
        );
      else
        assert.ok(
          happened.some((event) => event.endsWith('by filesystem')),
          happened.join(),
        );
      await tree.stop();
    }
  });
}

test('other edits count without a sandbox too', async () => {
  const { tree, life, ready } = await given('none');
  tree.edit(`tasks/ready/${ready}.md`, 'priority: normal', 'priority: high');
  await tree.look();
  assert.equal(life.task(ready).priority, 'high');
  await tree.stop();
});
