import { isRefusal } from '../domain/refusal.ts';
import { moveRefsOf } from '../workspace/shadow/old-refs.ts';
import { findRecordedWorkspace, recordedRepository } from './work/recorded-workspace.ts';
import type { LeftWork } from './work/work.ts';
import { shadowsOf } from './workplace/work-folder.ts';

/**
 * Moves the refs that earlier versions left in the repositories of tasks into the data folder. They are known by their names in
 * the store, so this comes before a name is forgotten.
 */
export async function moveOldRefs(dataFolder: string, works: readonly LeftWork[]): Promise<void> {
  const seen = new Set<string>();
  for (const { execution } of works) {
    const { order, snapshotted } = execution;
    const repository = snapshotted && recordedRepository(order, snapshotted);
    if (!snapshotted || !repository || seen.has(repository.root)) continue;
    seen.add(repository.root);
    const found = await findRecordedWorkspace({ ...snapshotted, repository }, dataFolder);
    if (isRefusal(found) || found.isGone) continue;
    const place = shadowsOf({ workplace: { kind: 'in-place' }, dataFolder, repository: found.repository });
    await moveRefsOf({ ...place, ...(found.recordedIn && { recordedIn: found.recordedIn }) });
  }
}
