import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type JoinedNode, type NodeStage, sees } from './joined-nodes.ts';

/** The node that is killed at a crash point, and what has to happen for it to be reached. */
export interface RemoteKill {
  readonly node: 'left' | 'right';
  readonly point: string;
  /** The task is stopped while it runs. */
  readonly isStopped?: boolean;
}

/** Kills one of two nodes at a point of a task's way, and holds what the next one makes of it to what was promised. */
export async function killRemote(
  stage: NodeStage,
  name: string,
  { node, point, isStopped = false }: RemoteKill,
): Promise<void> {
  const { left, right } = await stage.pair(name);
  const killed = node === 'left' ? left : right;
  for (const each of [left, right]) await each.up(each === killed ? { BATON_CRASH: point } : {});
  await sees(left, right.name);
  const words = isStopped ? '@demo hang' : '@demo append made.txt once';
  const flags = ['--on', right.name, '--detach', '--check', 'test -s made.txt', '--workspace', left.workspace];
  await left.run(['run', words, ...flags]);
  if (isStopped) {
    await left.taskIs('in-progress');
    await left.run(['stop', '@']);
  }
  await eventually(
    () => isGone(killed),
    (gone) => gone,
    `${point} of ${node}`,
  );
  await killed.up();
  const task = await left.taskIs(isStopped ? 'blocked' : 'done');
  await assertOnce(left, right, task.uid);
}

/** node.json is of a process that lives no more. */
function isGone(node: JoinedNode): boolean {
  if (!existsSync(join(node.path, 'node.json'))) return true;
  try {
    process.kill(node.pid, 0);
    return false;
  } catch {
    // No such process.
    return true;
  }
}

/** One task there, one answer here, and nothing left open. */
async function assertOnce(left: JoinedNode, right: JoinedNode, uid: string): Promise<void> {
  const open = () => right.rows("SELECT 1 FROM received_tasks WHERE state <> 'ended'").length;
  await eventually(open, (count) => count === 0, 'the end of the task there');
  const received = right.rows(`SELECT 1 FROM received_tasks WHERE uid = '${uid}' AND task_id IS NOT NULL`).length;
  assert.ok(received <= 1, `${received} tasks there`);
  const facts = left.rows<{ kind: string }>(
    `SELECT json_extract(fact, '$.kind') AS kind FROM run_facts WHERE task_id = (SELECT id FROM tasks WHERE uid = '${uid}')`,
  );
  const count = (kind: string) => facts.filter((fact) => fact.kind === kind).length;
  assert.deepEqual(
    [count('sent'), count('settled'), count('reported')],
    [1, 1, 1],
    facts.map(({ kind }) => kind).join(),
  );
  assert.ok(count('answered') <= 1);
  const made = left.outbox('task_create').filter(({ payload }) => payload.taskId === uid);
  assert.ok(made.length >= 1 && new Set(made.map(({ corrId }) => corrId)).size === 1);
}
