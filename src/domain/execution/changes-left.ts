import { isWithin, wholePath } from '../path-text.ts';
import type { Execution } from './execution.ts';
import type { ChangedFile } from './findings.ts';

/** The files that the work changed, without those that were restored and those below a restored folder. */
export function changesLeft({ order, attempts, rolledBack }: Execution): readonly ChangedFile[] {
  const whole = (path: string) => wholePath(order.workspaceRoot, path);
  const restored = (rolledBack?.files ?? [])
    .filter(({ status }) => status === 'restored')
    .map(({ path }) => whole(path));
  const changed = attempts.findLast((attempt) => attempt.collected !== null)?.collected?.changed ?? [];
  return changed.filter(({ path }) => !restored.some((kept) => isWithin(kept, whole(path))));
}
