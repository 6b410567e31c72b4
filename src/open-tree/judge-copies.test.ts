import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../test/support/order/an-order.ts';
import { NEW_TASK } from '../../test/support/task/task-life.ts';
import { TestOpenTree } from '../../test/support/tree/test-open-tree.ts';
import type { SandboxName } from '../domain/execution/findings.ts';
import { leaseOrder } from '../operations/order/lease-order.ts';
import { submitOrder } from '../operations/order/order-rounds.ts';

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
  const { task } = await life.do(submitOrder, {
    task: { ...NEW_TASK, agent: 'emma' },
    order: anOrder(),
    admitted,
    provenance: null,
  });
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

/** Edits that are rejected, with the sentence that says why. */
const REJECTED: Readonly<Record<string, readonly [write: (here: Stage) => void, sentence: RegExp]>> = {
  'a dependency on itself by way of another': [
    ({ tree, review, ready }) => {
      tree.edit(`tasks/review/${review}.md`, 'priority: normal\n', `priority: normal\ndependsOn: [${ready}]\n`);
      tree.edit(`tasks/ready/${ready}.md`, 'priority: normal\n', `priority: normal\ndependsOn: [${review}]\n`);
    },
    /TASK-\S+ itself waits for TASK-\S+/,
  ],
  'another agent for an order': [
    ({ tree, ordered }) => tree.edit(`tasks/in-progress/${ordered}.md`, 'agent: emma', 'agent: bo'),
    /the order of TASK-\S+ was accepted for emma/,
  ],
  'a fixed field': [
    ({ tree, ready }) => tree.edit(`tasks/ready/${ready}.md`, 'createdBy: ', 'createdBy: not-'),
    /only Baton changes createdBy/,
  ],
};

for (const [what, [write, sentence]] of Object.entries(REJECTED)) {
  test(`${what} is rejected, and event and incident say why in a sentence`, async () => {
    const here = await given('bubblewrap');
    const { tree } = here;
    const { lastSeq } = tree;
    write(here);
    await tree.look();
    const told = tree.events().filter(({ eventId }) => eventId > lastSeq);
    const rejected = told.find(({ type }) => type === 'tree.edit.rejected');
    assert.match(String(rejected?.payload.message), sentence);
    assert.match(String(told.find(({ type }) => type === 'incident.opened')?.payload.detail), sentence);
    await tree.stop();
  });
}
