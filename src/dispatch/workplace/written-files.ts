import { join } from 'node:path';
import type { FileChange } from '../../workspace/diff-shadows.ts';
import { findViolations } from '../../workspace/find-violations.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { WorkFolder } from './work-folder.ts';

/** A file that git found changed. */
export type WrittenFile = Pick<FileChange, 'path' | 'status'>;

/** Writes outside of the grant. A sandbox prevents them, so with one such a change is somebody else's. */
export function violationsOf(
  { execution }: OpenOrder,
  files: readonly WrittenFile[],
  folder: WorkFolder,
): readonly string[] {
  const { order, admitted } = execution;
  if (admitted?.sandbox !== 'none' || folder.repository === null) return [];
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPathOf(path, order.workspaceRoot) ?? []);
  const { writePaths, readOnlyPaths } = order.access;
  return findViolations(files, {
    workspaceRoot: folder.repository.root,
    writePaths: real(writePaths),
    readOnlyPaths: real(readOnlyPaths),
  });
}

/** Leaves out the copies that Baton made for a rollback. */
export function withoutSnapshots({ execution }: OpenOrder, files: readonly WrittenFile[], { repository }: WorkFolder) {
  const { outputs, workspaceRoot } = execution.order;
  const kept = new Set(
    outputs.flatMap(({ snapshot }) => (snapshot?.path ? (realPathOf(snapshot.path, workspaceRoot) ?? []) : [])),
  );
  return files.filter(({ path }) => !kept.has(join(repository?.root ?? '', path)));
}
