import { changesLeft } from '../../domain/execution/changes-left.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { ChangedFile } from '../../domain/execution/fact.ts';
import { wholePath } from '../../domain/path-text.ts';
import type { ResponseMessage } from './schema/response.ts';

export type Artifact = NonNullable<NonNullable<ResponseMessage['execution_summary']>['output_artifacts']>[number];

/** A measured file, whether or not the run changed it. */
export type MeasuredFile = Pick<ChangedFile, 'path' | 'sha256' | 'sizeBytes'>;

/** No system accepts a longer path. */
const PATH_CHARACTERS_MAX = 4_096;

/**
 * Every file that the work left otherwise than it found it, the expected ones first; and those that were expected, are
 * there and are the same. What was put back is as before, so it is not told.
 */
export function artifactsOf(execution: Execution, measured: readonly MeasuredFile[]): Artifact[] {
  const { order, snapshotted } = execution;
  const whole = (path: string) => wholePath(order.workspaceRoot, path);
  const changed = changesLeft(execution).filter(({ path }) => path.length <= PATH_CHARACTERS_MAX);
  const before = new Map((snapshotted?.outputs ?? []).map(({ path, sha256 }) => [whole(path), sha256]));
  const types = new Map(order.outputs.flatMap(({ type, path }) => (path === null ? [] : [[whole(path), type]])));
  const found = changed.map((file) => artifactOf({ ...file, path: whole(file.path) }, types.get(whole(file.path))));
  const told = new Set(found.map(({ path }) => path));
  const same = measured
    .map((file) => ({ ...file, path: whole(file.path) }))
    .filter(({ path }) => types.has(path) && !told.has(path))
    .map((file) => artifactOf({ ...file, status: statusOf(file, before.get(file.path)) }, types.get(file.path)));
  const isExpected = ({ path }: Artifact) => types.has(path ?? '');
  return [...found.filter(isExpected), ...same, ...found.filter((artifact) => !isExpected(artifact))];
}

/** Of a run that nobody looked at after its end, what is known of its outputs from before it decides. */
function statusOf({ sha256 }: MeasuredFile, before: string | null | undefined): Artifact['status'] {
  if (before === null) return 'CREATED';
  return before === undefined || before === sha256 ? 'UNCHANGED' : 'UPDATED';
}

function artifactOf(
  { path, status, sha256, sizeBytes }: MeasuredFile & { readonly status: Artifact['status'] },
  type = 'FILE',
): Artifact {
  const hash = sha256 === null ? null : `sha256:${sha256}`;
  return { type, path, hash, status, size_bytes: sizeBytes };
}
