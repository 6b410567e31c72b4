import { join, relative } from 'node:path';
import type { ChangedFile, Fact } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin, wholePath } from '../../domain/path-text.ts';
import { changedFiles } from '../../workspace/diff-shadows.ts';
import { findViolations } from '../../workspace/find-violations.ts';
import { lookAtPath } from '../../workspace/look-at-path.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { OrderAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { folderOfExecution, type WorkFolder } from '../work-folder.ts';
import { changedOutputs, hashIfThere } from './measure-outputs.ts';

type Collected = Extract<Fact, { readonly kind: 'collected' }>;

/** What the attempt left behind: the state of all files, and how it differs from before the first one. */
export async function collectStep(world: RunWorld, at: OrderAtHand, runId: string): Promise<Collected> {
  const { execution, task, stored } = at;
  const { order, snapshotted, attempts } = execution;
  const folder = folderOfExecution(execution, world.dataFolder);
  const before = snapshotted?.commit ?? null;
  if (folder.shadows === null || before === null) {
    return {
      kind: 'collected',
      runId,
      commit: null,
      changed: await changedOutputs(execution, folder, new Set()),
      violations: [],
    };
  }
  const attempt = attempts.findLastIndex((each) => each.runId === runId) + 1;
  const label = `${stored.round}/after-${attempt}`;
  const after = await takeShadow(folder.shadows, {
    task: task.id,
    label,
    basis: before,
    atMs: world.clock.now().wallMs,
  });
  const found = await changedFiles(folder.shadows, { before, after: after.commit });
  const files = withoutSnapshots(found, order, folder);
  const changed = await Promise.all(files.map((file) => changeOf(file, folder)));
  const seen = changed.map((file) => ({ ...file, path: pathFromWorkspace(file.path, order, folder) }));
  const known = new Set(files.map(({ path }) => join(folder.repository?.root ?? '', path)));
  const unseen = await changedOutputs(execution, folder, known);
  const violations = violationsOf(at, files, folder);
  return { kind: 'collected', runId, commit: after.commit, changed: [...seen, ...unseen], violations };
}

const STATUS = { added: 'CREATED', modified: 'UPDATED', deleted: 'DELETED', 'type-changed': 'UPDATED' } as const;

type GitChange = Awaited<ReturnType<typeof changedFiles>>[number];

async function changeOf({ path, status }: GitChange, { shadows }: WorkFolder): Promise<ChangedFile> {
  const hashed = status === 'deleted' ? null : await hashIfThere(join(shadows?.root ?? '', path));
  return { path, status: STATUS[status], sha256: hashed?.sha256 ?? null, sizeBytes: hashed?.size ?? null };
}

/** Git tells paths from the top of the repository; an order's are read from its workspace, which may lie below. */
function pathFromWorkspace(path: string, order: Order, { repository }: WorkFolder): string {
  if (repository === null) return path;
  const [workspace = order.workspaceRoot] = realPathOf(order.workspaceRoot, order);
  const whole = join(repository.root, path);
  const name = isWithin(workspace, whole) ? relative(workspace, whole) : whole;
  return nameOfOutput(name, whole, order) ?? name;
}

/** An output has the name that the order gave it, where that leads through a link. */
function nameOfOutput(name: string, realPath: string, order: Order): string | null {
  const paths = order.outputs.flatMap(({ path }) => path ?? []);
  const isNamed = (path: string) => wholePath(order.workspaceRoot, path) === wholePath(order.workspaceRoot, name);
  if (paths.some(isNamed)) return null;
  return paths.find((path) => realPathOf(path, order).includes(realPath)) ?? null;
}

/** In a sandbox nothing outside of the grant can be written: what changed there, somebody else changed. */
function violationsOf({ execution }: OrderAtHand, files: readonly GitChange[], folder: WorkFolder): readonly string[] {
  const { order, admitted } = execution;
  if (admitted?.sandbox !== 'none' || folder.repository === null) return [];
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPathOf(path, order));
  const { writePaths, readOnlyPaths } = order.access;
  return findViolations(files, {
    workspaceRoot: folder.repository.root,
    writePaths: real(writePaths),
    readOnlyPaths: real(readOnlyPaths),
  });
}

/** The copies that Baton itself made for a rollback are no work of the agent's. */
function withoutSnapshots(files: readonly GitChange[], order: Order, { repository }: WorkFolder): readonly GitChange[] {
  const kept = new Set(
    order.outputs.flatMap(({ snapshot }) => (snapshot?.path ? realPathOf(snapshot.path, order) : [])),
  );
  return files.filter(({ path }) => !kept.has(join(repository?.root ?? '', path)));
}

function realPathOf(path: string, { workspaceRoot }: Order): readonly string[] {
  const place = lookAtPath(path, workspaceRoot);
  return place.kind === 'there' || place.kind === 'missing' ? [place.realPath] : [];
}
