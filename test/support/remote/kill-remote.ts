import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type JoinedNode, type NodeStage, sees } from '../federation/joined-nodes.ts';

/** The node that is killed at a crash point, and what has to happen for it to be reached. */
export interface RemoteKill {
  readonly node: 'left' | 'right';
  readonly point: string;
  /** The task is stopped while it runs. */
  readonly isStopped?: boolean;
}

/** Every crash point on the way of a task between nodes, and the node that gets there. */
export const REMOTE_KILLS: readonly RemoteKill[] = [
  { node: 'left', point: 'parcel.base-recorded' },
  { node: 'left', point: 'parcel.blob-put' },
  { node: 'left', point: 'federation.send' },
  { node: 'left', point: 'federation.sent' },
  { node: 'right', point: 'parcel.blob-fetched' },
  { node: 'right', point: 'parcel.object-stored' },
  { node: 'right', point: 'parcel.files-laid-out' },
  { node: 'right', point: 'parcel.unpacked' },
  { node: 'right', point: 'federation.accept' },
  { node: 'right', point: 'federation.accepted' },
  { node: 'right', point: 'parcel.blob-put' },
  { node: 'right', point: 'federation.answer' },
  { node: 'right', point: 'federation.answered' },
  { node: 'left', point: 'parcel.blob-fetched' },
  { node: 'left', point: 'parcel.result-stored' },
  { node: 'left', point: 'parcel.result-laid-out' },
  { node: 'left', point: 'parcel.result-files-written' },
  { node: 'left', point: 'parcel.result-recorded' },
  { node: 'left', point: 'federation.bring' },
  { node: 'left', point: 'federation.brought' },
  { node: 'left', point: 'federation.recall', isStopped: true },
  { node: 'left', point: 'federation.recalled', isStopped: true },
];

/** A repository with a commit and a file that is not committed. */
function fillRepository(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@x', ...args], { cwd: folder });
  writeFileSync(join(folder, 'committed.txt'), 'committed\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  writeFileSync(join(folder, 'made.txt'), 'dirty\n');
}

/** Kills one of two nodes at a point of a task's way, and holds what the next one makes of it to what was promised. */
export async function killRemote(
  stage: NodeStage,
  name: string,
  { node, point, isStopped = false }: RemoteKill,
): Promise<void> {
  const { left, right } = await stage.pair(name);
  fillRepository(left.workspace);
  const killed = node === 'left' ? left : right;
  for (const each of [left, right]) await each.up(each === killed ? { BATON_CRASH: point } : {});
  await sees(left, right.name);
  const words = isStopped ? '@demo hang' : '@demo append made.txt once';
  const flags = ['--on', right.name, '--detach', '--check', 'grep -q once made.txt', '--workspace', left.workspace];
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
  if (isStopped) return;
  const applied = await left.run(['apply', '@']);
  assert.equal(applied.status, 0, applied.stdout + applied.stderr);
  assert.equal(readFileSync(join(left.workspace, 'made.txt'), 'utf8'), 'dirty\nonce\n');
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
  const ofTask = `task_id = (SELECT id FROM tasks WHERE uid = '${uid}')`;
  // The report follows the end of the task: it is written after the work has been counted.
  const facts = await eventually(
    () => left.rows<{ kind: string }>(`SELECT json_extract(fact, '$.kind') AS kind FROM run_facts WHERE ${ofTask}`),
    (found) => found.at(-1)?.kind === 'reported',
    'the report of the task here',
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
