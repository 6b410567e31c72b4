import type { SandboxName } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order/order.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import {
  decideWorkplace,
  type WorkplaceDecision,
  type WorkplaceFacts,
  type WorktreeObstacle,
} from '../../domain/work/decide-workplace.ts';
import type { Repository } from '../../domain/work/repository.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { readHead } from '../../workspace/read-head.ts';
import { hasFolder } from '../../workspace/worktree/make-worktree.ts';
import { hasWaitingPrior } from './prior-work.ts';
import { realFolder } from './work-folder.ts';
import type { Workplaces } from './workplaces.ts';

export interface WorkplaceQuestion {
  readonly order: Order;
  /** The sandbox that it was admitted with. */
  readonly sandbox: SandboxName | null;
  readonly continues: WorkplaceFacts['continues'];
  /** Null for an order whose task is not stored yet. */
  readonly task: Pick<Task, 'id' | 'dependsOn'> | null;
}

export interface FoundWorkplace {
  readonly decision: WorkplaceDecision;
  readonly repository: Repository | null;
  /** The folder that the order needs for itself in place. */
  readonly folder: string;
  /** The other task that has it. */
  readonly holder: TaskName | null;
}

/** Looks at the workspace, at the tasks that have it and at the work that the order builds on, and decides where it works. */
export async function findWorkplace(
  { workplaces }: { readonly workplaces: Workplaces },
  { order, sandbox, continues, task }: WorkplaceQuestion,
  ledger: Reader | null,
): Promise<FoundWorkplace> {
  const repository = findRepository(order.workspaceRoot);
  const folder = repository?.root ?? realFolder(order);
  const holderNow = () => workplaces.holderOf(folder, task?.id);
  const buildsOnWaiting = ledger && task && repository ? hasWaitingPrior(ledger, task, repository) : false;
  const { isWanted, isPlanned: isPromised = false } = order.worktree;
  // Git is asked only where a worktree comes into question.
  const isAsked = isWanted || isPromised || buildsOnWaiting || holderNow() !== null;
  const obstacle = isAsked ? await obstacleTo(order, repository, sandbox) : null;
  const holder = holderNow();
  const mayWrite = order.access.writePaths.length > 0;
  const place = { mayWrite, isWanted, isPromised, isHeld: holder !== null, obstacle };
  const isUnpacked = order.parcel !== undefined;
  const decision = decideWorkplace({ ...place, isUnpacked, buildsOnWaiting, continues });
  return { decision, repository, folder, holder: isUnpacked ? null : holder };
}

/** The task that has the folder of an order that is not stored yet. */
export function holderOfPlace({ workplaces }: { readonly workplaces: Workplaces }, order: Order): TaskName | null {
  return workplaces.holderOf(findRepository(order.workspaceRoot)?.root ?? realFolder(order));
}

async function obstacleTo(
  order: Order,
  repository: Repository | null,
  sandbox: SandboxName | null,
): Promise<WorktreeObstacle | null> {
  if (repository === null) return 'no-git';
  const head = await readHead(repository);
  if (head === null) return 'no-commit';
  if (!(await hasFolder(repository, head, realFolder(order)))) return 'not-in-commit';
  return sandbox === 'none' ? 'no-sandbox' : null;
}

/** An order that needs a worktree must not change the user's own files, so without one it is refused. */
export function refuseWorktree(
  { workspaceRoot, worktree: { isWanted } }: Order,
  obstacle: WorktreeObstacle,
  sandboxMissing: string | null,
): Refusal {
  const none = 'so Baton cannot create a worktree';
  const why = sandboxMissing === null ? '' : `: ${sandboxMissing}`;
  const [message, cure] = {
    'no-git': [`${workspaceRoot} is not in git, ${none}`, 'git init, then commit in the folder'],
    'no-commit': [`nothing is committed in ${workspaceRoot} yet, ${none}`, 'commit in the folder'],
    'not-in-commit': [`${workspaceRoot} is in no commit, ${none}`, 'commit a file in it'],
    'no-sandbox': [`a worktree needs a sandbox, and there is none${why}`, 'baton doctor shows what the sandbox needs'],
  }[obstacle] as [string, string];
  const instead = isWanted ? 'order it without a worktree' : 'apply the work that it builds on';
  return { ...refuse('invalid_argument', message, '/worktree'), hint: `${cure}, or ${instead}` };
}
