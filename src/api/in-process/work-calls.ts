import { existsSync } from 'node:fs';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { undoOf } from '../../dispatch/undo-of-task.ts';
import {
  applyOf,
  branchOf,
  diffOf,
  discardOf,
  type LeftWork,
  refuseExecuted,
  type WorkDone,
} from '../../dispatch/work-of-task.ts';
import { verifyWork } from '../../dispatch/workplace/check-work.ts';
import { findRecordedWorkspace, refuseGone } from '../../dispatch/workplace/recorded-workspace.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import type { Calls } from '../node-client.ts';
import type { DiffAnswer, VerifyAnswer, WorkAnswer } from '../order-contract.ts';
import { leftWork } from './order-records.ts';
import { reportOf } from './report-of-order.ts';

type WorkClient = Pick<Calls, 'orderReport' | 'diffWork' | 'applyWork' | 'discardWork' | 'undoWork' | 'verifyWork'>;

/** The work that an order left behind: reported, shown, applied, dropped, undone, checked again. */
export function workCalls(world: RunWorld): WorkClient {
  const about = async <Value>(reference: string, verb: (work: LeftWork) => Promise<Value | Refusal>) => {
    const work = leftWork(world.ledger.read, reference);
    if (isRefusal(work)) return work;
    return await verb(work).catch((error) => refuseDamagedFiles(error, work.task.id) ?? refuseWorkspaceFault(error));
  };
  const change = (reference: string, verb: (work: LeftWork) => Promise<WorkDone | Refusal>) =>
    about(reference, async (work): Promise<WorkAnswer | Refusal> => {
      const done = await verb(work);
      return isRefusal(done) ? done : { task: work.task.id, ...done };
    });
  return {
    orderReport: ({ task }) => about(task, (work) => reportOf(world, work)),
    diffWork: ({ task }) => about(task, (work) => diffAnswer(world, work)),
    applyWork: ({ task, branch, yes = false }) =>
      change(task, async (work) => {
        const refused = yes ? null : refuseExecuted(work);
        if (refused !== null) return refused;
        return await (branch === undefined ? applyOf(world, work) : branchOf(world, work, branch));
      }),
    discardWork: ({ task }) => change(task, (work) => discardOf(world, work)),
    undoWork: ({ task, keep = false }) => change(task, (work) => undoOf(world, work, keep)),
    verifyWork: ({ task }) => about(task, (work) => verifyAnswer(world, work)),
  };
}

async function diffAnswer(world: RunWorld, work: LeftWork): Promise<DiffAnswer | Refusal> {
  const diff = await diffOf(world, work);
  if (isRefusal(diff)) return diff;
  const files = diff.files.map(({ path, status, added, removed }) => ({ path, status, added, removed }));
  return {
    task: work.task.id,
    from: diff.before,
    to: diff.after,
    files,
    git: diff.git,
    text: diff.text,
  };
}

async function verifyAnswer(world: RunWorld, { task, execution }: LeftWork): Promise<VerifyAnswer | Refusal> {
  const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
  if (workplace.kind === 'worktree' && !existsSync(workplace.folder)) {
    const refusal = refuse('invalid_argument', `${task.id} was done in a worktree, which was dropped`);
    return { ...refusal, hint: `baton apply ${task.id} brings it into your files; check them there` };
  }
  const elsewhere = await refuseElsewhere(world, execution);
  if (elsewhere) return elsewhere;
  const { results } = await verifyWork(world, { task: task.id, execution, workplace });
  const checked = results.filter(({ result }) => result !== 'not-checkable');
  return { task: task.id, isPassed: checked.length > 0 && checked.every(({ result }) => result === 'passed'), results };
}

/** The checks of a task run where it was done, which is not here in a copied or moved repository. */
async function refuseElsewhere(
  { dataFolder }: RunWorld,
  { order, snapshotted }: LeftWork['execution'],
): Promise<Refusal | null> {
  const repository = snapshotted?.repository;
  if (!snapshotted || !repository) return null;
  const found = await findRecordedWorkspace({ ...snapshotted, repository }, dataFolder);
  if (isRefusal(found)) return found;
  if (found.isGone) return refuseGone(repository.root);
  if (found.recordedIn === undefined) return null;
  const message = `the task was done in ${order.workspaceRoot}; ${found.repository.root} is a copy of it, or it was moved`;
  return { ...refuse('invalid_argument', message), hint: 'run the checks by hand, or in a new task' };
}

/** Null for any other fault than an object that git cannot read. */
function refuseDamagedFiles(error: unknown, task: string): Refusal | null {
  if (!(error instanceof WorkspaceFault) || error.damagedObject === null) return null;
  const message = `the saved files of ${task} are damaged: the object ${error.damagedObject} is missing or torn`;
  const refusal = refuse('saved_files_damaged', message);
  return { ...refusal, hint: refusal.hint.replaceAll('TASK', task) };
}

/** Turns a failure of git or the disk into a refusal with its message. Anything else is a bug and is rethrown. */
export function refuseWorkspaceFault(error: unknown): Refusal {
  if (error instanceof WorkspaceFault) return refuse('workspace_failed', error.message);
  throw error;
}
