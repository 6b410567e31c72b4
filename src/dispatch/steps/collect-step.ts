import { join, relative } from 'node:path';
import { hashFile } from '../../checks/receipt/hash-file.ts';
import type { ChangedFile, Fact } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import { changedFiles } from '../../workspace/diff-shadows.ts';
import { findViolations } from '../../workspace/find-violations.ts';
import { lookAtPath } from '../../workspace/look-at-path.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { OrderAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { type WorkFolder, workFolderOf } from '../work-folder.ts';

type Collected = Extract<Fact, { readonly kind: 'collected' }>;

/** What the attempt left behind: the state of all files, and how it differs from before the first one. */
export async function collectStep(world: RunWorld, at: OrderAtHand, runId: string): Promise<Collected> {
  const { execution, task, stored } = at;
  const { order, snapshotted, attempts } = execution;
  const workplace = snapshotted?.workplace ?? { kind: 'in-place' };
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: snapshotted?.head ?? null });
  const before = snapshotted?.commit ?? null;
  if (folder.shadows === null || before === null) {
    return { kind: 'collected', runId, commit: null, changed: await changedOutputs(at), violations: [] };
  }
  const label = `${stored.round}/after-${attempts.length}`;
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
  return { kind: 'collected', runId, commit: after.commit, changed: seen, violations: violationsOf(at, files, folder) };
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
  return isWithin(workspace, whole) ? relative(workspace, whole) : whole;
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

/** Without git only the outputs that were asked for are known from before. */
async function changedOutputs({ execution }: OrderAtHand): Promise<readonly ChangedFile[]> {
  const { order, snapshotted } = execution;
  const found = await Promise.all((snapshotted?.outputs ?? []).map((output) => changeOfOutput(output, order)));
  return found.filter((change) => change !== null);
}

async function changeOfOutput(
  { path, sha256: before }: { readonly path: string; readonly sha256: string | null },
  order: Order,
): Promise<ChangedFile | null> {
  const after = await outputHash(path, order);
  if ((after?.sha256 ?? null) === before) return null;
  const status = before === null ? 'CREATED' : after === null ? 'DELETED' : 'UPDATED';
  return { path, status, sha256: after?.sha256 ?? null, sizeBytes: after?.size ?? null };
}

export async function outputHash(path: string, order: Order): Promise<{ sha256: string; size: number } | null> {
  const [real] = realPathOf(path, order);
  return real === undefined ? null : await hashIfThere(real);
}

function realPathOf(path: string, { workspaceRoot }: Order): readonly string[] {
  const place = lookAtPath(path, workspaceRoot);
  return place.kind === 'there' || place.kind === 'missing' ? [place.realPath] : [];
}

async function hashIfThere(path: string): Promise<{ sha256: string; size: number } | null> {
  try {
    return await hashFile(path);
  } catch (error) {
    // Gone, or not to be read: there is nothing to say about its content.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
