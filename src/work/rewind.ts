import { existsSync } from 'node:fs';
import { isRefusal, type Refusal, refuse, refuseTask } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import type { TaskStatus } from '../domain/task/task-lifecycle.ts';
import { countingSpans, isSuperseded } from '../domain/trace/trace.ts';
import { countFiles, type Point, spansOfWork } from '../domain/work/point.ts';
import { selectLastPoint, selectPoints, selectRewinds } from '../ledger/statements/points.ts';
import type { Reader } from '../ledger/tx.ts';
import { refuseUnordered } from '../operations/order/refuse-unordered.ts';
import { executionOf, rewindPlan, rewindTask } from '../operations/order/rewind-task.ts';
import { diffText, type FileChange } from '../workspace/diff-shadows.ts';
import type { ShadowPlace } from '../workspace/shadow/private-repository.ts';
import { hasShadow } from '../workspace/shadow/take-shadow.ts';
import { planRewindOfFiles, type RewindPlan, type RewindRequest, rewindFiles } from '../workspace/undo/rewind-files.ts';
import { pointsIn } from './points-in-folder.ts';
import { refuseGone } from './recorded-workspace.ts';
import { recordedPlaces } from './work.ts';
import type { WorkWorld } from './work-world.ts';

export interface ListedPoint extends Point {
  /** A rewind returned to a point before it. */
  readonly isSuperseded: boolean;
}

/** The states that a task can be rewound to, oldest first; a refusal where nothing of it was recorded. */
export function pointsOf({ ledger }: WorkWorld, task: Task): readonly ListedPoint[] | Refusal {
  const points = selectPoints(ledger.read, task.id);
  if (points.length === 0) return refuseUnrecorded(ledger.read, task);
  const spans = countingSpans(selectRewinds(ledger.read, task.id));
  return points.map((point) => ({ ...point, isSuperseded: isSuperseded(spans, point.seq) }));
}

function refuseUnrecorded(read: Reader, task: Task): Refusal {
  if (task.sessionId === null) return refuseUnordered(read, task);
  const refusal = refuse('invalid_argument', `nothing of ${task.id} was recorded: it has not begun, or is not in git`);
  return { ...refusal, hint: `baton task show ${task.id} tells its workspace` };
}

/** A rewind as it would be. */
export interface RewindPreview extends Pick<RewindPlan, 'dirty' | 'submodules'> {
  readonly point: Point;
  readonly to: TaskStatus;
  readonly folder: string;
  readonly files: readonly FileChange[];
  readonly diff: string;
}

/** Shows what a rewind would do; no file and no state of the task is changed. */
export async function previewRewind(world: WorkWorld, task: Task, asked: string): Promise<RewindPreview | Refusal> {
  const found = await findRewind(world, task.id, asked);
  if (isRefusal(found)) return found;
  const { place, order, point, to } = found;
  const plan = await planRewindOfFiles(place, { ...order, label: `${point.round}/rewind-look` });
  const { files, dirty, submodules } = plan;
  const paths = [...files.map(({ path }) => path), ...submodules];
  const ends = { before: plan.present.commit, after: point.commit };
  const { text, isTruncated } =
    paths.length === 0 ? { text: '', isTruncated: false } : await diffText(place, ends, { paths });
  const diff = isTruncated ? `${text}\n[cut off here: the difference is longer]\n` : text;
  return { point, to, folder: place.root, files, dirty, submodules, diff };
}

export interface RewindResult extends Pick<RewindPlan, 'dirty' | 'submodules'> {
  readonly task: Task;
  readonly point: Point;
  readonly folder: string;
  /** The name of the shadow commit of the files before the rewind. */
  readonly savedAs: string;
  /** The point to come back to. */
  readonly before: Point;
  readonly files: readonly string[];
  /** Files that the state then ignores: they stay. */
  readonly leftIgnored: readonly string[];
}

/** Puts the files that the task changed, and the task, back to a point. */
export async function rewindOf(
  world: WorkWorld,
  { task: { id: taskId }, to: asked, isKept }: { readonly task: Task; readonly to: string; readonly isKept: boolean },
): Promise<RewindResult | Refusal> {
  const found = await findRewind(world, taskId, asked);
  if (isRefusal(found)) return found;
  const { place, order, point } = found;
  const holder = world.workplaces.holderOf(place.root);
  if (holder !== null) return refuseHeld(place.root, holder);
  world.workplaces.take(taskId, place.root);
  try {
    const rewound = await rewindFiles(place, { ...order, asked, isKept });
    if (isRefusal(rewound)) return rewound;
    const { files, dirty, submodules, leftIgnored, present } = rewound;
    const label = order.label;
    const answer = await world.ledger.submit(rewindTask, {
      taskId,
      point: point.number,
      saved: { commit: present.commit, label, files: countFiles(dirty) },
      files: countFiles(files),
    });
    if (isRefusal(answer)) {
      return { ...answer, message: `the files are rewound, but that could not be recorded: ${answer.message}` };
    }
    const paths = files.map(({ path }) => path);
    const about = { point, folder: place.root, savedAs: present.ref, files: paths, dirty, submodules, leftIgnored };
    return { ...about, task: answer.task, before: answer.before };
  } finally {
    world.workplaces.release(taskId);
  }
}

interface FoundRewind {
  readonly point: Point;
  readonly to: TaskStatus;
  readonly place: ShadowPlace;
  readonly order: Omit<RewindRequest, 'isKept' | 'asked'>;
}

async function findRewind(world: WorkWorld, taskId: TaskName, asked: string): Promise<FoundRewind | Refusal> {
  const { read } = world.ledger;
  const planned = rewindPlan(read, taskId, asked);
  if (isRefusal(planned)) return planned;
  const { point, to } = planned;
  const execution = executionOf(read, planned.order, point);
  if (!execution?.snapshotted) throw new Error(`${taskId} has a point without a round`);
  const places = await recordedPlaces(world.dataFolder, { ...execution, snapshotted: execution.snapshotted });
  if (isRefusal(places)) return places;
  const place = places.worktree ?? places.theirs;
  if (!existsSync(place.root)) return refuseGone(place.root);
  if (!hasShadow(place, { task: taskId, label: point.label, commit: point.commit })) {
    return refuseTask('work_removed', `the saved files of ${taskId} were removed`, taskId);
  }
  const number = (selectLastPoint(read, taskId)?.number ?? 0) + 1;
  const label = `${point.round}/rewind-${number}`;
  const here = pointsIn(read, taskId, execution.snapshotted.workplace);
  const work = spansOfWork(here, point);
  const order = {
    task: taskId,
    label,
    last: here.at(-1) ?? point,
    target: point,
    work,
    atMs: world.clock.now().wallMs,
  };
  return { point, to, place, order };
}

function refuseHeld(folder: string, holder: TaskName): Refusal {
  const refusal = refuse('already_claimed', `${holder} works in ${folder}`);
  return { ...refusal, hint: `wait until it is over, or baton stop ${holder}` };
}
