import { branchOf } from '../../dispatch/branch-of-task.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { undoOf } from '../../dispatch/undo-of-task.ts';
import {
  applyOf,
  diffOf,
  discardOf,
  type LeftWork,
  refuseExecuted,
  type WorkDone,
} from '../../dispatch/work-of-task.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { WorkspaceFault } from '../../workspace/workspace-fault.ts';
import type { Calls } from '../node-client.ts';
import type { DiffAnswer, WorkAnswer } from '../order-contract.ts';
import { leftWork } from './order-records.ts';
import { reportOf } from './report-of-order.ts';
import { verifyAnswer } from './verify-answer.ts';

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
    applyWork: ({ task, branch, commits = false, yes = false }) =>
      change(task, async (work) => {
        const refused = yes ? null : refuseExecuted(work);
        if (refused !== null) return refused;
        return await (branch === undefined
          ? applyOf(world, work)
          : branchOf(world, work, { branch, keepsCommits: commits }));
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
