import assert from 'node:assert/strict';
import { test } from 'node:test';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';

const stage = await RunStage.up('overview');
stage.configure({ budgets: { day_usd: 50 } });
const client = stage.daemon?.client ?? assert.fail();
const overview = async () => taken(await client.overview());

test('an empty folder has an empty overview, from which a stream can go on', async () => {
  const first = await overview();
  assert.deepEqual([first.needsYou, first.running, first.waiting, first.finished], [[], [], [], []]);
  assert.deepEqual(first.totals, { needsYou: 0, running: 0, waiting: 0, finished: 0 });
  assert.deepEqual([first.spend.usd, first.spend.usdMax, first.spend.byModel], [0, 50, []]);
  assert.ok(first.agents.some(({ name, outUntil }) => name === 'completes' && outUntil === null));
  const after = taken(await client.listEvents({ after: first.lastEvent }));
  assert.deepEqual(after.events, []);
});

test('a run is shown while it works, with its last line, and then by its verdict', async () => {
  const { root } = stage.repository();
  const order = taskFor('works-until-told', root, { task: { expected_outputs: [output('made.txt')] } });
  const run = stage.start(order);
  await until(async () => (await overview()).running[0]?.lastLine === 'working');
  const [shown] = (await overview()).running;
  assert.equal(shown?.run?.agent, 'works-until-told');
  assert.deepEqual([shown?.attempt, shown?.attempts], [1, 1]);
  assert.ok(Date.parse(shown?.endsAt ?? '') > Date.now());
  assert.equal((await overview()).agents.find(({ name }) => name === 'works-until-told')?.running, 1);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${root}/go`, '');
  await run.ended;
  await until(async () => (await overview()).running.length === 0);
  const { needsYou, finished } = await overview();
  const about = [...needsYou.map(({ work }) => work), ...finished.map(({ summary }) => summary)];
  assert.equal(about.length, 1);
  assert.equal(about[0]?.agent, 'works-until-told');
  assert.ok((about[0]?.files ?? 0) >= 1);
  assert.ok((about[0]?.lines?.added ?? 0) >= 1, 'whoever has to look at it');
});

test('today costs the sum of its runs, by agent and model', async () => {
  const { root } = stage.repository();
  await stage.run(taskFor('reports-cost', root));
  await stage.run(taskFor('reports-cost', root));
  const { spend } = await overview();
  const [first] = spend.byModel;
  assert.deepEqual([first?.agent, first?.model, first?.runs], ['reports-cost', 'reports-cost', 2]);
  assert.ok((first?.usd ?? 0) > 0);
  assert.equal(
    spend.usd,
    spend.byModel.reduce((sum, { usd }) => sum + usd, 0),
  );
  assert.ok(Date.parse(spend.since) <= Date.now());
});

test('a waiting task names the open ones that it depends on', async () => {
  const first = taken(await client.createTask({ title: 'First' }));
  const second = taken(await client.createTask({ title: 'Second', dependsOn: [first.id] }));
  const { waiting, totals } = await overview();
  assert.deepEqual(waiting.find(({ id }) => id === second.id)?.after, [{ id: first.id, title: 'First' }]);
  assert.equal(totals.waiting, 2);
});

test('work in review is in the queue with its result, and not among the finished', async () => {
  const task = taken(await client.createTask({ title: 'Style at it', agent: 'completes' }));
  await until(async () => (await overview()).needsYou.some((item) => item.task === task.id && item.work !== null));
  const { needsYou, finished } = await overview();
  const item = needsYou.find((each) => each.task === task.id);
  assert.deepEqual([item?.kind, item?.owner, item?.line?.id], ['review', 'completes', task.id]);
  assert.equal(item?.work?.agent, 'completes');
  assert.ok(!finished.some(({ id }) => id === task.id));
});

test('a search finds tasks by words and number, and who changed a file', async () => {
  const { root } = stage.repository();
  const order = taskFor('completes', root, {
    task: { objective: 'Write the money', expected_outputs: [output('src/money.ts')] },
  });
  const { own } = await stage.run(order);
  const byFile = taken(await client.search({ text: 'src/money' }));
  assert.deepEqual(
    byFile.files.map(({ path, task, agent }) => [path, task, agent]),
    [['src/money.ts', own.task, 'completes']],
  );
  const byWords = taken(await client.search({ text: 'style at' }));
  assert.deepEqual(
    byWords.tasks.map(({ title }) => title),
    ['Style at it'],
  );
  const byNumber = taken(await client.search({ text: String(Number(own.task.slice(-3))) }));
  assert.equal(byNumber.tasks[0]?.id, own.task);
  for (const text of ['%', '_', "'", '"', '100%_', '\\']) taken(await client.search({ text }));
});

test('tasks are listed newest first, by words of their titles, page by page', async () => {
  for (const at of [1, 2, 3, 4, 5]) taken(await client.createTask({ title: `Paged ${at}` }));
  const first = taken(await client.listTasks({ text: 'paged', order: 'newest', limit: 3 }));
  assert.deepEqual(
    first.tasks.map(({ title }) => title),
    ['Paged 5', 'Paged 4', 'Paged 3'],
  );
  const second = taken(await client.listTasks({ text: 'paged', order: 'newest', limit: 3, after: first.next ?? 0 }));
  assert.deepEqual(
    second.tasks.map(({ title }) => title),
    ['Paged 2', 'Paged 1'],
  );
  assert.equal(second.next, null);
  assert.deepEqual((await overview()).moves.done, []);
});
