import { join } from 'node:path';
import type { Fact } from '../../domain/execution/fact.ts';
import type { ChangedFile, ExecutedByGit, ReceiverWork, Workplace } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order/order.ts';
import type { ResultRecord } from '../../domain/remote/result-record.ts';
import type { Repository } from '../../domain/work/repository.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { WORKTREES } from '../../work/place/prepare-worktree.ts';
import { nameInWorkspace, recordState, searchPlaceOf } from '../../work/place/record-state.ts';
import { pathFromWorkspace, workFolderOf } from '../../work/place/work-folder.ts';
import { changedFiles, type FileChange } from '../../workspace/diff-shadows.ts';
import { inventoryBefore, searchExecuted } from '../../workspace/executed-by-git/search-executed.ts';
import { isOfBaton } from '../../workspace/own-folders.ts';
import { openPrivateRepository, type ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { shareDependencies } from '../../workspace/worktree/share-dependencies.ts';
import { hashObjects } from '../parcel/hash-objects.ts';
import { makeResultWorktree } from '../parcel/result-worktree.ts';

export interface ResultToLay {
  readonly order: Order;
  readonly task: string;
  readonly round: number;
  readonly record: ResultRecord;
  readonly elsewhere: ReceiverWork;
  /** The user's files. */
  readonly place: ShadowPlace;
}

/** The worktree of a result, and what Baton found in it itself: the other node's word does not count for that. */
export interface LaidResult {
  readonly workplace: Workplace;
  readonly changed: readonly ChangedFile[];
  readonly executedByGit: readonly ExecutedByGit[];
  readonly start: Pick<Extract<Fact, { readonly kind: 'snapshotted' }>, 'gitInventory' | 'gitState'>;
}

/** The folder of a result's worktree. */
export function worktreeOf(dataFolder: string, task: string, round: number): string {
  return join(dataFolder, WORKTREES, `${task}-${round}`);
}

/** Lays a result out as the worktree that it would have been done in here, and looks at what came with it. */
export async function layResult(world: OrderWorld, request: ResultToLay): Promise<LaidResult> {
  const { place, record, order, elsewhere } = request;
  const { repository } = place;
  const isFolder = isOfBaton(world.dataFolder, repository);
  const folder = worktreeOf(world.dataFolder, request.task, request.round);
  const { before, checked, after, verified, rolledBack } = record.states;
  const head = isFolder ? null : record.states.head;
  const first = checked ?? before;
  const worktree = await makeResultWorktree({ place, folder, head, before: first });
  try {
    const workplace = { kind: 'worktree', folder, elsewhere } as const;
    const at = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head, repository });
    const search = searchPlaceOf(world, order, at);
    const gitInventory = await inventoryBefore(search, world.clock.now().wallMs);
    const gitState = await recordState(world, at);
    await worktree.changeTo(after);
    if (record.ownCommits !== null) await worktree.moveHead(record.ownCommits.tip);
    const { executed } = await searchExecuted(search, gitInventory);
    const changes = await changedFiles(place, { before: first, after });
    const changed = await measured(place, changes);
    await worktree.changeTo(rolledBack ?? verified ?? after);
    return {
      workplace: await withDependencies(workplace, isFolder ? null : repository),
      changed: changed.map((file) => ({ ...file, path: pathFromWorkspace(file.path, order, at) })),
      executedByGit: executed.map(({ path, reason }) => ({ path: nameInWorkspace(path, order, at), reason })),
      start: { gitInventory, ...(gitState !== null && { gitState }) },
    };
  } finally {
    worktree.end();
  }
}

/** The folders of dependencies in the user's checkout, so that checks find them, as in every worktree. */
async function withDependencies(
  workplace: Extract<Workplace, { readonly kind: 'worktree' }>,
  repository: Repository | null,
): Promise<Workplace> {
  const shared = repository === null ? [] : await shareDependencies(repository, workplace.folder);
  return shared.length === 0 ? workplace : { ...workplace, shared };
}

const STATUSES = { added: 'created', modified: 'updated', deleted: 'deleted', 'type-changed': 'updated' } as const;
const PLAIN_FILE = /^100/;

/** The changed files with their sizes and hashes; a link has neither, as in a run here. */
async function measured(place: ShadowPlace, changes: readonly FileChange[]): Promise<readonly ChangedFile[]> {
  const { place: own } = await openPrivateRepository(place);
  const files = changes.flatMap(({ after }) => (after && PLAIN_FILE.test(after.mode) ? [after.object] : []));
  const hashes = await hashObjects(own, files);
  return changes.map(({ path, status, after }) => {
    const { sha256 = null, bytes: sizeBytes = null } = hashes.get(after?.object ?? '') ?? {};
    return { path, status: STATUSES[status], sha256, sizeBytes };
  });
}
