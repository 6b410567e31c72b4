import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewRemote } from '../../src/calls/task/remote-views.ts';
import { fleetOf } from '../support/remote/fleet-of.ts';

test('a node that runs a task and is silent is told on the task and by one incident, until it is back', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'] });
  node('right').work.workMs = 100_000;
  const task = await left.order({ to: ['critic@right'] });
  await fleet.until(() => node('right').work.begun.length === 1, 30_000);
  const open = () => left.rows<{ kind: string; detail: string }>('SELECT * FROM incidents WHERE closed_at IS NULL');
  const silentSince = () => viewRemote(left.ledger.read, task)?.silentSince ?? null;
  node('right').kill();
  const killedAt = fleet.time.nowMs;
  await fleet.pass(25_000);
  assert.deepEqual([open(), silentSince()], [[], null]);
  await fleet.until(() => open().length === 1, 45_000);
  const [{ kind, detail } = { kind: '', detail: '' }] = open();
  assert.equal(kind, 'node_silent:right');
  assert.ok(detail.includes(`it runs ${task.id}`), detail);
  const quietMs = killedAt - Date.parse(silentSince() ?? '');
  assert.ok(quietMs >= 0 && quietMs <= 31_000, `${quietMs} ms before it was killed`);
  await fleet.pass(120_000);
  assert.equal(open().length, 1, 'a dead node is the same incident');
  await node('right').restart();
  await fleet.until(() => open().length === 0, 10_000);
  assert.equal(silentSince(), null);
  await fleet.until(() => isOver(task), 240_000);
});

test('a silent node whose task goes to another is no incident any more', async () => {
  const { fleet, left, node, isOver } = await fleetOf({ right: ['critic'], spare: ['critic'] });
  node('right').work.workMs = 10_000_000;
  const task = await left.order({ to: ['critic'] });
  await fleet.until(() => node('right').work.begun.length === 1, 30_000);
  node('right').kill();
  const open = () => left.rows("SELECT kind FROM incidents WHERE kind LIKE 'node_silent%' AND closed_at IS NULL");
  await fleet.until(() => open().length === 1, 70_000);
  await fleet.until(() => isOver(task), 400_000);
  await fleet.pass(2_000);
  assert.deepEqual(open(), []);
});
