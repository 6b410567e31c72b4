import type { Calls } from '../../api/node-client.ts';
import type { PointView, RewindAnswer, RewindPreviewView } from '../../api/trace/trace-contract.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import type { Task } from '../../domain/task/task.ts';
import { findTask } from '../../operations/task/find-task.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { type ListedPoint, pointsOf, previewRewind, rewindOf } from '../../work/rewind.ts';
import type { FileChange } from '../../workspace/diff-shadows.ts';
import { refuseDamagedFiles, refuseWorkspaceFault } from './work-calls.ts';

/** Points of tasks, and going back to them. */
export function rewindCalls(world: OrderWorld) {
  const about = async <Value>(reference: string, verb: (task: Task) => Promise<Value | Refusal>) => {
    const task = findTask(world.ledger.read, reference);
    if (isRefusal(task)) return task;
    return await verb(task).catch((error) => refuseDamagedFiles(error, task.id) ?? refuseWorkspaceFault(error));
  };
  return {
    listPoints: ({ task: reference }) =>
      about(reference, async (task) => {
        const points = pointsOf(world, task);
        return isRefusal(points) ? points : { task: task.id, points: points.map(viewPoint) };
      }),
    previewRewind: ({ task: reference, to }) => about(reference, (task) => previewAnswer(world, task, to)),
    rewindTask: ({ task: reference, to, keep = false }) =>
      about(reference, (task) => rewindAnswer(world, { task, to, isKept: keep })),
  } satisfies Partial<Calls>;
}

function viewPoint(point: ListedPoint): PointView {
  const { number, at, kind, status, runId, turnIndex, seq, gitHash, files, rewoundTo } = point;
  return {
    point: String(number),
    at: new Date(at).toISOString(),
    kind,
    status,
    runId,
    turnIndex,
    eventId: seq,
    gitHash,
    files,
    isSuperseded: point.isSuperseded,
    rewoundTo: rewoundTo === null ? null : String(rewoundTo),
  };
}

async function previewAnswer(world: OrderWorld, task: Task, to: string): Promise<RewindPreviewView | Refusal> {
  const preview = await previewRewind(world, task, to);
  if (isRefusal(preview)) return preview;
  const { point, folder, dirty, submodules, diff } = preview;
  return {
    task: task.id,
    point: String(point.number),
    status: preview.to,
    folder,
    files: preview.files.map(({ path, status, added, removed }) => ({ path, status, added, removed })),
    dirty: pathsOf(dirty),
    notes: notesOf(submodules, []),
    text: maskWritten(diff),
  };
}

async function rewindAnswer(world: OrderWorld, order: Parameters<typeof rewindOf>[1]): Promise<RewindAnswer | Refusal> {
  const done = await rewindOf(world, order);
  if (isRefusal(done)) return done;
  const { task, point, savedAs, before, folder, files, dirty, submodules, leftIgnored } = done;
  return {
    rewoundTo: String(point.number),
    savedAs,
    task: task.id,
    status: task.status,
    before: String(before.number),
    folder,
    files,
    kept: pathsOf(dirty),
    notes: notesOf(submodules, leftIgnored),
  };
}

function pathsOf(changes: readonly FileChange[]): readonly string[] {
  return changes.map(({ path }) => path);
}

/** saop:rewind: what a rewind does not restore is said. */
function notesOf(submodules: readonly string[], leftIgnored: readonly string[]): readonly string[] {
  return [
    ...submodules.map((path) => `${path} is a submodule, a repository of its own: it stays as it is`),
    ...leftIgnored.map((path) => `${path} was ignored then: it stays`),
    'files that git ignores, branches, commits, the index and the stash stay as they are',
  ];
}
