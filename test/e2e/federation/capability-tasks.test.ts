import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { CapabilityReviewView, CapabilityView } from '../../../src/api/federation/federation-contract.ts';
import type { AttentionList } from '../../../src/api/review/review-contract.ts';
import { eventually, type JoinedNode, NodeStage } from '../../support/federation/joined-nodes.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('capability-tasks');
const CAPABILITY = 'cap.release.checklist';
const FIELDS = [
  ...['reviewId', 'capabilityId', 'delegationSkillVersion', 'executorSkillVersion', 'failureClass', 'sampleCorrIds'],
  'createdAt',
];

function skill({ path }: JoinedNode, name: string): void {
  const folder = join(path, 'skills', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\nversion: 1.0.0\n---\nGo through the list of ${name}.\n`);
}

async function shown(node: JoinedNode): Promise<CapabilityView> {
  return await node.json<CapabilityView>('capability', 'show', CAPABILITY);
}

async function reviewsAt(node: JoinedNode, count: number): Promise<readonly CapabilityReviewView[]> {
  const open = async () => ((await shown(node)).reviews ?? []).filter(({ closedAt }) => closedAt === null);
  return await eventually(open, (reviews) => reviews.length === count, `${count} reviews at ${node.name}`);
}

function samplesOf(review: CapabilityReviewView | undefined): readonly unknown[] {
  return (review?.record.sampleCorrIds ?? []) as readonly unknown[];
}

describe('a task for whoever has a capability', { concurrency: 1, skip: noBubblewrap }, () => {
  let left: JoinedNode;
  let right: JoinedNode;
  before(async () => {
    ({ left, right } = await stage.leftAndRight());
    for (const name of ['checklist', 'other']) skill(right, name);
    skill(left, 'own');
    const schema = join(stage.folder, 'schema.json');
    writeFileSync(
      schema,
      JSON.stringify({ type: 'object', required: ['passed'], properties: { passed: { type: 'boolean' } } }),
    );
    const publish = [
      'capability',
      'publish',
      CAPABILITY,
      '--agent',
      'critic',
      '--skill',
      'checklist',
      '--schema',
      schema,
    ];
    await right.json(...publish, '--eta', '600');
    await left.json('capability', 'publish', 'cap.own', '--agent', 'emma', '--skill', 'own');
  });

  test('is done by the agent that offers it, with its skill and its estimate', async () => {
    const words = '@demo write result.json {"passed": true}';
    const run = await left.order(words, '--needs', CAPABILITY, '--check', 'test -s result.json');
    assert.equal(run.status, 0, run.stdout + run.stderr);
    const task = await left.task();
    const [create] = left.outbox('task_create').filter(({ payload }) => payload.taskId === task.uid);
    const { toAgents, requiredCapabilities } = create?.payload ?? {};
    assert.deepEqual([toAgents, requiredCapabilities], [[], [CAPABILITY]]);
    assert.equal((create as unknown as { toAgentId: string }).toAgentId, 'critic');
    const theirs = await right.task(task.remote?.theirTask ?? '');
    assert.match(theirs.body, /Go through the list of checklist\./);
    assert.match(theirs.body, /result\.json/);
    const [accept] = right.outbox('task_accept').slice(-1);
    assert.equal(accept?.payload.etaSeconds, 600);
    const [complete] = right.outbox('task_complete').slice(-1);
    assert.deepEqual(
      [complete?.payload.resultRef, complete?.payload.x_output],
      ['artifact://result.json', { passed: true }],
    );
    assert.deepEqual((await shown(left)).reviews, []);
  });

  test('whose result breaks the contract is not done, and a review says so on both nodes', async () => {
    const run = await left.order(
      '@demo write result.json {"passed": "yes"}',
      '--needs',
      CAPABILITY,
      '--check',
      'test -s result.json',
    );
    assert.equal(run.status, 3, run.stdout);
    assert.match(run.stdout, /passed: .*boolean/);
    const task = await left.task();
    assert.equal(task.status, 'review');
    const [own] = await reviewsAt(left, 1);
    const [theirs] = await reviewsAt(right, 1);
    assert.deepEqual(own?.record, theirs?.record);
    assert.deepEqual(Object.keys(own?.record ?? {}), FIELDS);
    assert.deepEqual(
      [own?.record.failureClass, own?.record.sampleCorrIds],
      ['contract_violation', [task.remote?.corrId]],
    );
    const file = join(stage.folder, 'review.json');
    writeFileSync(file, JSON.stringify(own?.record));
    assert.equal((await runBaton(['check', '--as', 'runtime', file])).status, 0);
  });

  test('that names no result breaks the contract as well: the same review has both', async () => {
    await left.order('@demo write a.txt x', '--needs', CAPABILITY);
    const [own] = await reviewsAt(left, 1);
    assert.equal(samplesOf(own).length, 2);
  });

  test('that fails is a review of its class', async () => {
    const run = await left.order('@demo respond FAILURE', '--needs', CAPABILITY, '--retries', '0');
    assert.equal(run.status, 1);
    const reviews = await reviewsAt(left, 2);
    assert.ok(reviews.some(({ record, agentId }) => record.failureClass === 'execution_error' && agentId === 'critic'));
  });

  test('whose route fails three times is a review of the capabilities', async () => {
    for (const at of [1, 2, 3]) {
      const run = await left.order('both', '--needs', CAPABILITY, '--needs', 'cap.own', '--json');
      assert.deepEqual([run.status, linesOf<{ code: string }>(run)[0]?.code], [2, 'no_route'], `time ${at}`);
    }
    const reviews = await reviewsAt(left, 3);
    const route = reviews.find(({ record }) => record.failureClass === 'route_failure');
    assert.equal(samplesOf(route).length, 3);
  });

  test('reviews are in the attention queue, and closing one closes it on the other node, too', async () => {
    const items = linesOf<AttentionList['items'][number]>(await right.run(['review', 'list', '--json']));
    const kinds = items
      .filter(({ kind, task }) => kind === 'review' && task === null)
      .map(({ title, actions }) => [title, actions]);
    assert.deepEqual(
      kinds,
      Array.from({ length: 3 }, () => [CAPABILITY, ['close']]),
    );
    assert.match((await right.run(['status'])).stdout, /review[\s\S]*baton capability close rev_/);
    const open = await reviewsAt(right, 3);
    for (const { record } of open)
      await right.json('capability', 'close', String(record.reviewId), '--note', 'corrected');
    await reviewsAt(left, 0);
    const [closed] = (await shown(left)).reviews ?? [];
    assert.deepEqual([closed?.closedBy, closed?.note], ['operator@right', 'corrected']);
    const again = await right.run(['capability', 'close', String(open[0]?.record.reviewId), '--json']);
    assert.deepEqual([again.status, linesOf<{ code: string }>(again)[0]?.code], [2, 'review_not_found']);
  });

  test('counts in the figures of the capability', async () => {
    const { figures } = await shown(left);
    assert.deepEqual([figures?.uses, figures?.checked, figures?.accepted, figures?.etaKept], [4, 1, 4, 4]);
    assert.match(
      (await left.run(['capability', 'show', CAPABILITY])).stdout,
      /4 tasks of this node: 1 checked \(25 %\), 4 of 4 in time/,
    );
  });
});
