import { changesLeft } from '../../domain/execution/recorded-changes.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { SessionMember } from '../../domain/session/session-report.ts';
import { isTakenBack } from '../../domain/work/work-state.ts';
import type { Reader } from '../../ledger/tx.ts';
import { leftWork } from '../../work/left-work.ts';
import { workspaceInRepository } from '../../work/place/work-folder.ts';
import type { LeftWork } from '../../work/work.ts';

interface Conflict {
  readonly member: SessionMember;
  readonly work: LeftWork;
  readonly paths: readonly string[];
}

/** The members on the other side of a conflict, of those in the order of merging; none where it is the user's own change. */
export function otherSides(
  read: Reader,
  members: readonly SessionMember[],
  { member, work, paths }: Conflict,
): readonly Pick<SessionMember, 'id' | 'task'>[] {
  const before = members.slice(0, members.indexOf(member)).flatMap(({ id, task, work: state }) => {
    const other = isTakenBack(state) ? null : leftWork(read, task);
    return other === null || isRefusal(other) ? [] : [{ id, task, files: filesOf(other) }];
  });
  const touching = (some: readonly string[]) => before.filter(({ files }) => files.some((path) => some.includes(path)));
  const named = touching(paths);
  // A file that one side moved conflicts under its new name, which the other side does not have.
  return named.length > 0 ? named : touching(filesOf(work));
}

/** The files that a work changed, from the root of the repository. */
function filesOf({ execution }: LeftWork): readonly string[] {
  const inside = workspaceInRepository(execution.order, execution.snapshotted?.repository);
  return changesLeft(execution).map(({ path }) => (inside === '' ? path : `${inside}/${path}`));
}
